/**
 * The app-server of a release: JSON-RPC over its standard input and output, one message a line.
 * Notifications are kept and can be waited for; requests of the server to us are granted.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Sources that a list must name, or it leaves their threads out. */
const SOURCES = ['cli', 'vscode', 'exec', 'appServer', 'unknown'];

/** How long one answer may take: a guard, never a wait. */
const GUARD_MS = 60_000;

/** Thrown when the server answers with an error; `rpcCode` is its own. */
export class RefusedError extends Error {
  name = 'RefusedError';

  constructor(method, { message, code }) {
    super(`Codex refused ${method}: ${message}`);
    this.rpcCode = code;
  }
}

export class AppServer {
  #child;
  #lastId = 0;
  #pending = new Map();
  #notes = [];
  #waiting = new Set();
  #closed;
  #stderr = '';

  constructor(program, { cwd, env }) {
    this.#child = spawn(program, ['app-server'], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdin.on('error', () => {}); // a server that died says so by its end
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#stderr += text;
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#take(line));
    this.#closed = new Promise((resolve) => {
      this.#child.on('close', (code) => {
        const error = new Error(`The app-server ended with ${code}: ${this.#stderr.slice(-400)}`);
        for (const { reject } of [...this.#pending.values(), ...this.#waiting]) reject(error);
        resolve(code);
      });
    });
  }

  static async start(program, options) {
    const server = new AppServer(program, options);
    const clientInfo = { name: 'codicil-interop', title: 'interop', version: '0.0.0' };
    await server.request('initialize', { clientInfo, capabilities: { experimentalApi: true } });
    server.#write({ method: 'initialized', params: {} });
    return server;
  }

  get pid() {
    return this.#child.pid;
  }

  /** Resolves with the result; rejects with RefusedError, or when the server ends or keeps silent. */
  request(method, params = {}) {
    this.#lastId += 1;
    const id = this.#lastId;
    return this.#settled(`an answer to ${method}`, (settle) => {
      this.#pending.set(id, {
        resolve: ({ result, error }) => settle(error && new RefusedError(method, error), result),
        reject: settle,
      });
      this.#write({ id, method, params });
      return () => this.#pending.delete(id);
    });
  }

  /** The first notification that fits and has not been given out by an earlier `wait` that began at `from`. */
  notification(fits, from = this.#notes.length) {
    const known = this.#notes.slice(from).find(fits);
    if (known !== undefined) return Promise.resolve(known);
    return this.#settled('a notification', (settle) => {
      const waiter = { fits, resolve: (note) => settle(undefined, note), reject: settle };
      this.#waiting.add(waiter);
      return () => this.#waiting.delete(waiter);
    });
  }

  /** Notifications so far: where a later `notification` may look from. */
  get noted() {
    return this.#notes.length;
  }

  /** Every thread that the release lists, archived ones instead when asked for. */
  async listThreads({ archived = false } = {}) {
    const threads = [];
    let cursor = null;
    do {
      const page = await this.request('thread/list', {
        cursor,
        limit: 100,
        archived,
        modelProviders: [],
        sourceKinds: SOURCES,
      });
      threads.push(...page.data);
      cursor = page.nextCursor ?? null;
    } while (cursor !== null);
    return threads;
  }

  async startThread(cwd) {
    const policy = { approvalPolicy: 'never', sandbox: 'danger-full-access' };
    return (await this.request('thread/start', { cwd, ...policy })).thread.id;
  }

  /** Runs one turn to its end. */
  async turn(threadId, text) {
    const from = this.noted;
    await this.request('turn/start', { threadId, input: [{ type: 'text', text, text_elements: [] }] });
    const ended = await this.notification(
      ({ method, params }) => method === 'turn/completed' && params.threadId === threadId,
      from,
    );
    const { status, error } = ended.params.turn;
    if (status !== 'completed') throw new Error(`The turn "${text}" ended as ${status}: ${error?.message}`);
  }

  async turns(threadId) {
    return (await this.request('thread/read', { threadId, includeTurns: true })).thread.turns;
  }

  /** Takes the newest `count` turns back, in the way of the release. */
  async undo(release, threadId, count) {
    if (release.undo === 'thread/rollback') return this.request('thread/rollback', { threadId, numTurns: count });
    const turns = await this.turns(threadId);
    const first = turns.at(-count);
    if (first === undefined) throw new Error(`Codex shows ${turns.length} turns of ${threadId}, not ${count}`);
    return this.request('thread/revert', { threadId, beforeTurnId: first.id });
  }

  /** Ends it and waits for its end; what it holds is given back by then. */
  async stop() {
    this.#child.stdin.end();
    const guard = setTimeout(() => this.#child.kill('SIGTERM'), 10_000);
    try {
      return await this.#closed;
    } finally {
      clearTimeout(guard);
    }
  }

  #settled(what, begin) {
    return new Promise((resolve, reject) => {
      const settle = (error, value) => {
        clearTimeout(guard);
        forget();
        if (error) reject(error);
        else resolve(value);
      };
      const guard = setTimeout(() => settle(new Error(`Codex gave no sign of ${what}`)), GUARD_MS);
      const forget = begin(settle);
    });
  }

  #write(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #take(line) {
    if (!line.startsWith('{')) return;
    const message = JSON.parse(line);
    if (message.method === undefined) {
      this.#pending.get(message.id)?.resolve(message);
      return;
    }
    if (message.id !== undefined) this.#write({ id: message.id, result: { decision: 'accept' } });
    this.#notes.push(message);
    for (const waiter of [...this.#waiting]) if (waiter.fits(message)) waiter.resolve(message);
  }
}
