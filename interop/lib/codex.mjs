/**
 * One release of Codex on one home: `exec`, `exec resume`, and its app-server.
 */
import { AppServer } from './app-server.mjs';
import { run } from './child.mjs';
import { childEnv } from './codex-home.mjs';

const EXEC = ['exec', '--dangerously-bypass-approvals-and-sandbox', '--skip-git-repo-check'];

/** Thrown when a run of Codex did not end well; `stderr` is what it said. */
export class CodexFailedError extends Error {
  name = 'CodexFailedError';

  constructor(args, { code, signal, stderr }) {
    super(`codex ${args.join(' ')} ended with ${code ?? signal}: ${stderr.trim().slice(-600)}`);
    this.stderr = stderr;
  }
}

export class Codex {
  /** @param {{release: import('./releases.mjs').Release, program: string, scratch: string, home: string, cwd: string, mock: import('./mock-responses.mjs').MockModel}} place */
  constructor({ release, program, scratch, home, cwd, mock }) {
    this.release = release;
    this.program = program;
    this.home = home;
    this.cwd = cwd;
    this.mock = mock;
    this.env = childEnv(scratch, { CODEX_HOME: home });
  }

  /** The same release on another home. */
  on(home, scratch) {
    return new Codex({ ...this, scratch, home });
  }

  /** A new thread with one turn; its id. */
  async exec(prompt, { config = [] } = {}) {
    const { turns } = await this.#run([...EXEC, ...flags(config), prompt]);
    const id = threadOf(turns.at(0));
    if (id === undefined) throw new Error(`The request of "${prompt}" names no thread`);
    return id;
  }

  /**
   * Resumes a thread with one turn; the requests that it sent.
   * @returns {Promise<{input: object[], turns: object[], requests: object[]}>} `input` is what the first of them held
   */
  async resume(id, prompt, { config = [] } = {}) {
    const sent = await this.#run([...EXEC, ...flags(config), 'resume', id, prompt]);
    return { ...sent, input: sent.turns.at(0)?.body.input ?? [] };
  }

  /** What `work` gives, done with an app-server that has ended by then. */
  async serve(work) {
    const server = await AppServer.start(this.program, { cwd: this.cwd, env: this.env });
    try {
      return await work(server);
    } finally {
      await server.stop();
    }
  }

  async #run(args) {
    const before = this.mock.requests.length;
    const ended = await run(this.program, args, { cwd: this.cwd, env: this.env });
    if (ended.code !== 0) throw new CodexFailedError(args.slice(EXEC.length), ended);
    return { turns: this.mock.turnsSince(before), requests: this.mock.requests.slice(before) };
  }
}

const flags = (config) => config.flatMap((entry) => ['-c', entry]);

/** The thread that a request is about. */
export function threadOf(request) {
  if (request === undefined) return undefined;
  const { headers, body } = request;
  const named = headers['thread-id'] ?? headers['thread_id'] ?? headers['conversation_id'] ?? headers['session_id'];
  return named ?? headers['session-id'] ?? body?.prompt_cache_key;
}
