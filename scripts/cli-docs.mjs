// Writes docs/cli.md from the help of the built program. usage: node scripts/cli-docs.mjs   (after npm run build)
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const bin = fileURLToPath(new URL('dist/bin.js', root));
const reference = execFileSync(process.execPath, [bin, 'help', '--markdown'], { encoding: 'utf8' });
writeFileSync(new URL('docs/cli.md', root), reference);
