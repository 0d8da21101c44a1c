/**
 * Conversations that the cases have: what is asked, and what the scripted model answers. Each touches one thing that
 * a log has to keep.
 */

const FIRST = { input: 100, output: 20 };

/** @type {Readonly<Record<string, {prompts: string[], answers: import('./mock-responses.mjs').Step[][], config?: string[]}>>} */
export const SCRIPTS = {
  plain: { prompts: ['Say hello'], answers: [[{ items: [{ message: 'Hello.' }] }]] },
  'two turns': {
    prompts: ['First question', 'Second question'],
    answers: [[{ items: [{ message: 'First answer.' }] }], [{ items: [{ message: 'Second answer.' }] }]],
  },
  reasoning: {
    prompts: ['Think first'],
    answers: [[{ items: [{ reasoning: ['**One** thought', 'and another'], raw: 'unseen' }, { message: 'Thought.' }] }]],
  },
  shell: {
    prompts: ['Run two commands'],
    answers: [
      [
        { items: [{ message: 'First this one.', phase: 'commentary' }, { shell: 'echo out; ls' }] },
        { items: [{ shell: 'echo wrong >&2; exit 3' }] },
        { items: [{ message: 'One worked, one failed.' }] },
      ],
    ],
  },
  parallel: {
    prompts: ['Run three commands at once'],
    answers: [
      [
        { items: [{ reasoning: ['all at once'] }, { shell: 'echo 1' }, { shell: 'echo 2' }, { shell: 'echo 3' }] },
        { items: [{ message: 'Three outputs.' }] },
      ],
    ],
  },
  'unknown tool': {
    prompts: ['Call a tool that nobody has'],
    answers: [
      [{ items: [{ call: 'no_such_tool', args: { a: [1, 2] } }] }, { items: [{ message: 'There is no such tool.' }] }],
    ],
  },
  unicode: {
    prompts: ['한글로 답해 줘 🙂 — 줄바꿈\n둘째 줄\u2028셋째'],
    answers: [
      [
        { items: [{ shell: "printf '한글 🚀 e\\u0301\\n'" }] },
        { items: [{ message: '안녕하세요 “인용” 👩‍👩‍👧‍👦 \u2028줄\u2029끝 \\u0000 \u0007' }] },
      ],
    ],
  },
  'long output': {
    prompts: ['Print a lot'],
    answers: [[{ items: [{ shell: 'seq 1 60000' }] }, { items: [{ message: 'lorem ipsum '.repeat(4_000) }] }]],
  },
  compaction: {
    config: ['model_context_window=100000', 'model_auto_compact_token_limit=60000'],
    prompts: ['Fill the window', 'Go on after it'],
    answers: [
      [
        { items: [{ shell: 'echo before' }], usage: FIRST },
        { items: [{ message: 'Window full.' }], usage: { input: 90_000, output: 50 } },
      ],
      [{ items: [{ message: 'After the compaction.' }], usage: FIRST }],
    ],
  },
};

/** Has the conversation through `exec` and `exec resume`; the thread's id. */
export async function converse(codex, { prompts, answers, config = [] }) {
  codex.mock.script(answers[0]);
  const id = await codex.exec(prompts[0], { config });
  for (const [index, prompt] of prompts.entries()) {
    if (index === 0) continue;
    codex.mock.script(answers[index]);
    await codex.resume(id, prompt, { config });
  }
  codex.mock.script([]);
  return id;
}
