/** What is left of a secret in a text: its pieces of eight characters that are still there. */
export function leftPieces(masked: string, secret: string): readonly string[] {
  const parts = secret.split(/\s+/).filter((part) => !/^-----/.test(part) && part !== '');
  return parts.flatMap((part) => {
    if (part.length < 8) return secret.length < 8 && masked.includes(part) ? [part] : [];
    return Array.from({ length: part.length - 7 }, (_, at) => part.slice(at, at + 8)).filter((piece) =>
      masked.includes(piece),
    );
  });
}
