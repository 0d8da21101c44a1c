/** Which release this is: what new logs say of who wrote them. A test holds it and the package together. */
export const PROGRAM_VERSION = '0.1.0';
