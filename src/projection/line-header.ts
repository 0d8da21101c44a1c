/**
 * What a scanner knows of a line before it parses it: the two names that say which record it is.
 */

export interface LineHeader {
  /** `type` of the line; for a bare line the type of the item. */
  readonly type: string;
  /** `payload.type`; undefined where the payload has none, or the line no payload. */
  readonly payloadType: string | undefined;
  /** `role` of a message item, type of a turn's item; undefined where it is not known. */
  readonly detail?: string | undefined;
}
