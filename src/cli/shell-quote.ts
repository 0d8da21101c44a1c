/**
 * Words as a POSIX shell takes them, for lines that a person may paste. Nothing here starts a shell.
 */

export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  // A control character in a folder's name must neither act on the terminal nor hide in the pasted line.
  if (/[\p{Cc}\p{Cf}]/u.test(word)) {
    const escaped = word.replace(/[\p{Cc}\p{Cf}\\']/gu, (character) =>
      [...new TextEncoder().encode(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
    );
    return `$'${escaped}'`;
  }
  return `'${word.replaceAll("'", "'\\''")}'`;
}
