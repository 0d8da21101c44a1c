/**
 * Masks the strings of a JSON value. The name of a field counts: `{"password": "hunter2hunter2"}` is masked although
 * the string alone tells nothing; so does the pair `{"name": "DB_PASSWORD", "value": "…"}` of manifests.
 */
import { findSecrets, maskSecrets } from './find-secrets.js';
import { foldedView } from './folded-view.js';
import { kindOfField, type NameKind } from './secret-names.js';
import { isSecretValue } from './secret-value.js';

/** The value with every secret masked, in keys too. What holds none is the same object. */
export function maskJson<T>(value: T): T {
  // Masking keeps the shape: strings stay strings.
  return maskValue(value, undefined) as T;
}

function maskValue(value: unknown, kind: NameKind | undefined): unknown {
  if (typeof value === 'string') return maskString(value, kind);
  if (Array.isArray(value)) return maskArray(value, kind);
  if (typeof value === 'object' && value !== null) return maskObject(value, kind);
  return value;
}

function maskString(value: string, kind: NameKind | undefined): string {
  if (kind === undefined || !isSecretValue(kind, 'quoted', asRead(value))) return maskSecrets(value);
  const known = findSecrets(value)[0];
  const whole = known !== undefined && known.start === 0 && known.end === value.length;
  return `[REDACTED:${whole ? known.rule : kind === 'password' ? 'password' : 'secret'}]`;
}

/** Without what hides in it: a name in full width is a name. */
function asRead(text: string): string {
  return foldedView(text)?.text ?? text;
}

function maskArray(values: readonly unknown[], kind: NameKind | undefined): readonly unknown[] {
  const masked = values.map((entry) => maskValue(entry, kind));
  return masked.some((entry, index) => entry !== values[index]) ? masked : values;
}

function maskObject(object: object, outer: NameKind | undefined): object {
  let changed = false;
  const pairName = nameOfPair(object);
  const entries = Object.entries(object).map(([name, value]): [string, unknown] => {
    const kind =
      name.toLowerCase() === 'value' && pairName !== undefined
        ? kindOfField(asRead(pairName))
        : kindOfField(asRead(name));
    const maskedName = maskSecrets(name);
    const maskedValue = maskValue(value, kind ?? (outer === 'password' ? outer : undefined));
    if (maskedName !== name || maskedValue !== value) changed = true;
    return [maskedName, maskedValue];
  });
  // `fromEntries` defines, so that a field named `__proto__` stays a field.
  return changed ? Object.fromEntries(entries) : object;
}

function nameOfPair(object: object): string | undefined {
  const { name, key, Name, Key } = object as { name?: unknown; key?: unknown; Name?: unknown; Key?: unknown };
  const found = name ?? key ?? Name ?? Key;
  return typeof found === 'string' ? found : undefined;
}
