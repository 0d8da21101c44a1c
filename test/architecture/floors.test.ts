import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { FLOORS, type Floor } from './floors.js';

const root = path.resolve(import.meta.dirname, '../..');
const src = path.join(root, 'src');

interface Import {
  readonly file: string;
  readonly specifier: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(full);
    return entry.name.endsWith('.ts') ? [full] : [];
  });
}

/** The code without comments and without the contents of strings, so that words in them do not count. */
function bareCode(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '$1')
    .replace(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, "''")
    .replace(/`(?:\\.|[^`\\])*`/g, '``');
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s[^'";]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g,
  );
  return [...found].map((match) => ({ file, specifier: match[1] ?? match[2] ?? match[3] ?? '' }));
}

function floorOf(file: string): Floor {
  const head = path.relative(src, file).split(path.sep)[0] ?? '';
  const floor = FLOORS.find((entry) => entry.folder === head);
  if (!floor) throw new Error(`${path.relative(root, file)} stands on no floor of the table`);
  return floor;
}

const files = sourceFiles(src);

describe('floors', () => {
  test('every source file stands on a floor of the table', () => {
    for (const file of files) floorOf(file);
  });

  test('a folder imports only from lower floors, never sideways', () => {
    const wrong = files.flatMap((file) => {
      const own = floorOf(file);
      return importsOf(file)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => path.resolve(path.dirname(file), specifier.replace(/\.js$/, '.ts')))
        .filter((target) => {
          const other = floorOf(target);
          return other.folder !== own.folder && other.floor >= own.floor;
        })
        .map((target) => `${path.relative(root, file)} -> ${path.relative(root, target)}`);
    });
    expect(wrong).toEqual([]);
  });

  test('every relative import names a file that exists', () => {
    const missing = files.flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .filter(
          ({ specifier }) =>
            !statSync(path.resolve(path.dirname(file), specifier.replace(/\.js$/, '.ts')), { throwIfNoEntry: false }),
        )
        .map(({ specifier }) => `${path.relative(root, file)}: ${specifier}`),
    );
    expect(missing).toEqual([]);
  });

  // Floors only import lower ones, so a browser floor that imports non-browser floors would show here too.
  test('browser floors use no node module, no package and no Node global', () => {
    const wrong = files
      .filter((file) => floorOf(file).browser)
      .flatMap((file) => {
        const outside = importsOf(file)
          .filter(
            ({ specifier }) =>
              !specifier.startsWith('.') ||
              !floorOf(path.resolve(path.dirname(file), specifier.replace(/\.js$/, '.ts'))).browser,
          )
          .map(({ specifier }) => `${path.relative(root, file)} imports ${specifier}`);
        const globals = [
          ...bareCode(readFileSync(file, 'utf8')).matchAll(
            /(?<![.\w'])(Buffer|process|require|__dirname|__filename|setImmediate)\b(?!\s*[:?]?:)/g,
          ),
        ].map((match) => `${path.relative(root, file)} uses ${match[1]}`);
        return [...outside, ...globals];
      });
    expect(wrong).toEqual([]);
  });

  test('docs/ARCHITECTURE.md shows the same table', () => {
    const text = readFileSync(path.join(root, 'docs', 'ARCHITECTURE.md'), 'utf8');
    const rows = FLOORS.map(
      (entry) => `| ${entry.floor} | \`${entry.folder}\` | ${entry.owns}${entry.browser ? ' (browser)' : ''} |`,
    );
    for (const row of rows) expect(text).toContain(row);
  });
});
