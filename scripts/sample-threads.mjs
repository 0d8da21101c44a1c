/**
 * The conversations of the sample home: invented, about two invented projects. Data only; `make-sample-home.mjs` writes it.
 *
 * A step of a turn is one of `think` (summaries), `run` (`out`, `exit`, `secs`), `patch` (`file`, and `add` or `diff`),
 * `compact` (a summary) and `say`.
 */

const LANTERN = { cwd: '/home/dev/lantern', repository: 'https://example.invalid/dev/lantern.git' };
const MULLE = { cwd: '/home/dev/mulle', repository: 'https://example.invalid/dev/mulle.git' };

const TESTS_PASS = `
> lantern@0.4.1 test
> node --test dist/test

✔ renders a heading (1.9ms)
✔ renders a list (0.8ms)
✔ keeps code blocks as they are (0.6ms)
✔ renders nothing for an empty note (0.4ms)
ℹ tests 4
ℹ pass 4
ℹ fail 0
`;

const buildFix = {
  dialect: 'legacy',
  source: 'exec',
  project: LANTERN,
  startedAt: '2026-09-14T08:12:31.204Z',
  turns: [
    {
      user: 'The build fails since the last merge. Find out why and fix it.',
      steps: [
        {
          run: 'npm run build',
          exit: 2,
          secs: 3.4,
          out: `
> lantern@0.4.0 build
> tsc -p tsconfig.json

src/cli.ts(3,28): error TS2835: Relative import paths need explicit file extensions in ECMAScript imports when '--moduleResolution' is 'node16' or 'nodenext'. Did you mean './render.js'?
src/watch.ts(5,24): error TS2835: Relative import paths need explicit file extensions in ECMAScript imports when '--moduleResolution' is 'node16' or 'nodenext'. Did you mean './render.js'?
`,
        },
        {
          think: [
            '**Looking at the imports**',
            'Two files import ./render without an ending; the compiler option changed in the merge.',
          ],
        },
        {
          run: 'git log --oneline -4 -- tsconfig.json && grep -n "from \'./render\'" src/*.ts',
          secs: 0.1,
          out: `7c1e0fa use nodenext module resolution
2b90d31 stricter checks
src/cli.ts:3:import { renderNote } from './render';
src/watch.ts:5:import { renderNote } from './render';
`,
        },
        { run: "sed -i \"s#from './render'#from './render.js'#\" src/cli.ts src/watch.ts", secs: 0.1, out: '' },
        { run: 'npm run build', secs: 3.6, out: '\n> lantern@0.4.0 build\n> tsc -p tsconfig.json\n\n' },
        {
          say: 'The merge switched module resolution to `nodenext`, which wants file endings in relative imports. `src/cli.ts` and `src/watch.ts` imported `./render`; they now import `./render.js`, and the build passes.',
        },
      ],
    },
    {
      user: 'Good. From now on always run the build and the tests before you say that something is done.',
      steps: [
        { run: 'npm run build && npm test', secs: 5.2, out: TESTS_PASS.replaceAll('0.4.1', '0.4.0') },
        { say: 'I will. Just now both pass: the build has no errors and all 4 tests are green.' },
      ],
    },
  ],
};

const emptyNote = {
  dialect: 'paginated',
  source: 'cli',
  project: LANTERN,
  startedAt: '2026-10-20T13:40:02.511Z',
  name: 'Empty notes',
  turns: [
    {
      user: 'Add a test for an empty note. Rendering one should give an empty string, not a crash.',
      steps: [
        {
          patch: {
            file: 'test/render.test.ts',
            diff: "@@ -21,3 +21,7 @@\n   assert.equal(renderNote('# a\\n    b'), '<h1>a</h1><pre>b</pre>');\n });\n+\n+test('renders nothing for an empty note', () => {\n+  assert.equal(renderNote(''), '');\n+});\n",
          },
        },
        {
          run: 'npm test',
          exit: 1,
          secs: 2.1,
          out: `
> lantern@0.4.1 test
> node --test dist/test

✔ renders a heading (1.8ms)
✔ renders a list (0.8ms)
✔ keeps code blocks as they are (0.6ms)
✖ renders nothing for an empty note (1.1ms)
  AssertionError [ERR_ASSERTION]: '<h1></h1>' == ''
ℹ tests 4
ℹ pass 3
ℹ fail 1
`,
        },
        {
          patch: {
            file: 'src/render.ts',
            diff: "@@ -1,2 +1,3 @@\n export function renderNote(text: string): string {\n+  if (text.trim() === '') return '';\n   const lines = text.split('\\n');\n",
          },
        },
        { run: 'npm test', secs: 2.2, out: TESTS_PASS },
        {
          say: 'The new test failed first (`<h1></h1>` instead of nothing); `renderNote` now returns an empty string for a note without text. All 4 tests pass.',
        },
      ],
    },
    {
      user: 'I prefer one assertion per test, so keep it like that when you add more.',
      steps: [{ say: 'Noted: one assertion per test.' }],
    },
  ],
};

const snapshotFork = {
  dialect: 'paginated',
  source: 'cli',
  project: LANTERN,
  startedAt: '2026-10-21T07:05:44.090Z',
  forkOf: emptyNote,
  turns: [
    {
      user: 'Another idea in this fork: would snapshots be shorter than these assertions?',
      steps: [
        {
          run: 'wc -l test/*.test.ts',
          secs: 0.1,
          out: '  27 test/render.test.ts\n  44 test/watch.test.ts\n  71 total\n',
        },
        {
          say: 'Not by much: 27 lines would become about 20, and a reader would have to open a second file to see what is expected. I would keep the assertions.',
        },
      ],
    },
  ],
};

const quotes = {
  dialect: 'paginated',
  source: 'vscode',
  project: MULLE,
  startedAt: '2026-10-27T01:22:09.733Z',
  turns: [
    {
      user: 'CSV 파서가 따옴표 안에 있는 쉼표에서도 칸을 나눠 버립니다. 원인을 찾아서 고쳐 주세요.',
      steps: [
        {
          run: 'printf \'이름,주소\\n가람,"서울, 중구"\\n\' | node src/cli.mjs --json',
          secs: 0.2,
          out: '[{"이름":"가람","주소":"\\"서울"}]\n',
        },
        {
          think: [
            '**파서 구조 확인**',
            '한 줄을 쉼표로 바로 나누고 있어서 따옴표를 볼 기회가 없다. 상태를 하나 두고 글자를 차례로 읽어야 한다.',
          ],
        },
        {
          patch: {
            file: 'src/parse.mjs',
            diff: "@@ -13,3 +13,16 @@\n function cells(line) {\n-  return line.split(',').map((cell) => cell.trim());\n+  const found = [''];\n+  let quoted = false;\n+  for (let i = 0; i < line.length; i++) {\n+    if (line[i] === '\"' && quoted && line[i + 1] === '\"') {\n+      found[found.length - 1] += '\"';\n+      i += 1;\n+    } else if (line[i] === '\"') quoted = !quoted;\n+    else if (line[i] === ',' && !quoted) found.push('');\n+    else found[found.length - 1] += line[i];\n+  }\n+  return found;\n }\n",
          },
        },
        {
          run: 'node --test',
          secs: 0.9,
          out: '✔ 빈 줄을 건너뛴다 (1.2ms)\n✔ 첫 줄을 이름으로 쓴다 (0.7ms)\n✔ 따옴표 안의 쉼표를 그대로 둔다 (0.5ms)\nℹ tests 3\nℹ pass 3\nℹ fail 0\n',
        },
        {
          say: '원인은 `cells()`가 줄을 쉼표로 바로 나눈 것이었습니다. 이제 글자를 하나씩 읽으면서 따옴표 안인지 기억하고, 연속된 따옴표 두 개는 따옴표 하나로 읽습니다. 테스트 세 개가 모두 통과합니다.',
        },
      ],
    },
    {
      user: '좋습니다. 앞으로 이 프로젝트의 테스트 이름은 항상 한국어로 써 주세요.',
      steps: [{ say: '네, 앞으로 테스트 이름은 한국어로 쓰겠습니다.' }],
    },
  ],
};

const slowParser = {
  dialect: 'legacy',
  source: 'cli',
  project: MULLE,
  startedAt: '2026-08-30T05:48:17.362Z',
  archived: true,
  turns: [
    {
      user: '40MB 파일을 읽는 데 1분이 넘게 걸려요. 어디가 느린지 재 보고 빠르게 해 주세요.',
      steps: [
        {
          run: 'time node src/cli.mjs --count big.csv',
          secs: 71.3,
          out: '612044\n\nreal\t1m11.284s\nuser\t1m10.630s\nsys\t0m0.811s\n',
        },
        {
          run: 'node --cpu-prof --cpu-prof-dir=prof src/cli.mjs --count big.csv && node scripts/top.mjs prof',
          secs: 74.9,
          out: '  91.2%  rows            src/parse.mjs:31\n   3.4%  cells           src/parse.mjs:13\n   2.0%  (garbage collector)\n',
        },
        { think: ['**줄을 모으는 곳**', '`rows()`가 줄마다 배열 전체를 복사한다. 줄 수의 제곱만큼 일한다.'] },
        {
          run: "sed -i 's/all = \\[...all, row\\];/all.push(row);/' src/parse.mjs && time node src/cli.mjs --count big.csv",
          secs: 1.6,
          out: '612044\n\nreal\t0m1.541s\nuser\t0m1.377s\nsys\t0m0.402s\n',
        },
        {
          say: '`rows()`가 줄을 하나 더할 때마다 배열을 통째로 복사하고 있었습니다. `push`로 바꾸니 71초에서 1.5초가 되었고 줄 수는 같습니다(612,044).',
        },
      ],
    },
  ],
};

const releaseNotes = {
  dialect: 'legacy',
  source: 'exec',
  project: LANTERN,
  startedAt: '2026-07-05T16:30:55.870Z',
  compressed: true,
  turns: [
    {
      user: 'Write the release notes for 0.4.0 from the commits since v0.3.2. Short, for users.',
      steps: [
        {
          run: 'git log --oneline v0.3.2..HEAD',
          secs: 0.1,
          out: '2b90d31 stricter checks\n9f4ac02 watch: rebuild only what changed\ne51d7b8 render: nested lists\n0aa61c4 fix: title with a colon\nd7720e5 docs: how to deploy\n',
        },
        {
          say: `## 0.4.0

- \`lantern watch\` rebuilds only the notes that changed.
- Lists inside lists are rendered.
- A title may contain a colon.

Nothing has to be changed when you upgrade from 0.3.2.`,
        },
      ],
    },
  ],
};

const tornTail = {
  dialect: 'paginated',
  source: 'cli',
  project: MULLE,
  startedAt: '2026-11-03T23:14:40.118Z',
  tornTail: true,
  turns: [
    {
      user: '줄 끝이 CRLF인 파일도 읽을 수 있는지 확인하고, 없으면 테스트를 추가해 줘.',
      steps: [
        { run: "printf 'a,b\\r\\n1,2\\r\\n' | node src/cli.mjs --json", secs: 0.2, out: '[{"a":"1","b\\r":"2\\r"}]\n' },
        { say: '아직 안 됩니다. 마지막 칸의 이름과 값에 `\\r`이 남습니다. 줄을 나눌 때 지우고 테스트를 추가할까요?' },
      ],
    },
    {
      user: '응, 그렇게 해 줘.',
      steps: [
        {
          run: 'sed -i "s#text.split(\'\\\\n\')#text.split(/\\\\r?\\\\n/)#" src/parse.mjs && node --test',
          secs: 1.1,
          out: '✔ 빈 줄을 건너뛴다 (1.1ms)\n✔ 첫 줄을 이름으로 쓴다 (0.8ms)\n✔ 따옴표 안의 쉼표를 그대로 둔다 (0.6ms)\nℹ tests 3\nℹ pass 3\nℹ fail 0\n',
        },
      ],
      open: true,
    },
  ],
};

const flakyTest = {
  dialect: 'paginated',
  source: 'cli',
  project: LANTERN,
  startedAt: '2026-11-10T09:02:18.445Z',
  turns: [
    {
      user: 'test/watch.test.ts fails about one time in ten on CI. Find the reason before you change anything.',
      steps: [
        {
          run: 'for i in $(seq 20); do node --test dist/test/watch.test.js >/dev/null || echo "run $i failed"; done',
          secs: 31.8,
          out: 'run 7 failed\nrun 16 failed\n',
        },
        {
          think: [
            '**Two failures in twenty**',
            'It happens on this machine too, so it is not only CI. The test waits 50 ms for the watcher.',
          ],
        },
        {
          run: "grep -n 'setTimeout\\|tmpdir' test/watch.test.ts",
          secs: 0.1,
          out: "9:const dir = join(tmpdir(), 'lantern-watch');\n18:  await new Promise((done) => setTimeout(done, 50));\n",
        },
        {
          say: 'Two suspects: the test waits a fixed 50 ms, and every run uses the same folder, `/tmp/lantern-watch`. I would first make the folder unique and measure again.',
        },
      ],
    },
    {
      user: 'Do both at once and',
      steps: [],
      aborted: true,
    },
    {
      user: 'No, one after the other: first the folder, measure, then the wait. I want to know which one it was.',
      steps: [
        {
          patch: {
            file: 'test/watch.test.ts',
            diff: "@@ -9,1 +9,1 @@\n-const dir = join(tmpdir(), 'lantern-watch');\n+const dir = mkdtempSync(join(tmpdir(), 'lantern-watch-'));\n",
          },
        },
        {
          run: 'for i in $(seq 60); do node --test dist/test/watch.test.js >/dev/null || echo "run $i failed"; done',
          secs: 95.2,
          out: 'run 31 failed\n',
        },
        {
          patch: {
            file: 'test/watch.test.ts',
            diff: "@@ -18,1 +18,1 @@\n-  await new Promise((done) => setTimeout(done, 50));\n+  await once(watcher, 'rebuilt');\n",
          },
        },
        {
          run: 'for i in $(seq 60); do node --test dist/test/watch.test.js >/dev/null || echo "run $i failed"; done',
          secs: 61.4,
          out: '',
        },
        {
          say: 'It was both. The shared folder caused most failures (2 in 20 became 1 in 60); the fixed wait caused the rest. The test now has a folder of its own and waits for the `rebuilt` event: 60 runs, no failure.',
        },
      ],
    },
    {
      user: 'Great. Do other tests wait for a fixed time?',
      steps: [
        {
          compact:
            'Summary so far: test/watch.test.ts was flaky for two reasons, a shared folder in /tmp and a fixed wait of 50 ms. Both are fixed and proved by 60 runs each. The user wants one change at a time, measured. Open: look for fixed waits in other tests.',
        },
        { run: "grep -rn 'setTimeout' test", secs: 0.1, out: '' },
        { say: 'No. That was the only one.' },
      ],
    },
  ],
};

const folderSearch = {
  dialect: 'paginated',
  source: 'subagent',
  parent: flakyTest,
  project: LANTERN,
  startedAt: '2026-11-10T09:03:51.020Z',
  turns: [
    {
      user: 'List the tests under test/ that write to a folder which other tests may use as well.',
      steps: [
        {
          run: "grep -rn 'tmpdir()' test",
          secs: 0.1,
          out: "test/watch.test.ts:9:const dir = join(tmpdir(), 'lantern-watch');\n",
        },
        { say: 'Only `test/watch.test.ts`: it always uses `/tmp/lantern-watch`.' },
      ],
    },
  ],
};

/** In the order of their dates; a fork comes after the thread it was made from. */
export const SAMPLE_THREADS = [
  releaseNotes,
  slowParser,
  buildFix,
  emptyNote,
  snapshotFork,
  quotes,
  tornTail,
  flakyTest,
  folderSearch,
];
