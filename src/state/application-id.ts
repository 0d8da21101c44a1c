/** Written into every database of ours at creation ("Codi"); one without it is never opened for writing. */
export const APPLICATION_ID = 0x436f6469;
