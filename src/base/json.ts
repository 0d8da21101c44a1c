/**
 * JSON as it stands in memory: the shapes that `JSON.parse` can return.
 * Objects that came from a log keep every key that they had, known or not; nothing here copies or drops any.
 */

export type JsonValue = string | number | boolean | null | JsonObject | readonly JsonValue[];

/** A parsed object. A key may be `__proto__`: `JSON.parse` makes it an own property, and so does every reader here. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Narrows to an object that is neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
