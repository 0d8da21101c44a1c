import { Skip } from './lab.mjs';
export async function plainStore() { throw new Skip('later'); }
