/**
 * The real Codex as a peer: its app-server, asked for a page of threads through JSON-RPC over stdio.
 * It writes databases into the home it serves, so it gets a copy made of hard links.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

const SOURCES = ['cli', 'vscode', 'exec', 'appServer', 'unknown'];
const ANSWER_MS = 300_000;

/** `CODEX_BIN`, else `codex` on the PATH; undefined when there is none. */
export function findCodex(env = process.env) {
  const named = env['CODEX_BIN'];
  if (named) return named;
  const folders = (env['PATH'] ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, 'codex')).find((file) => existsSync(file));
}

export function codexVersion(binary) {
  return spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? 'unknown';
}

/** A copy of the home's logs by hard links, with a configuration that reaches no network. */
export function linkedCopy(home, copy) {
  rmSync(copy, { recursive: true, force: true });
  for (const folder of ['sessions', 'archived_sessions']) {
    if (!existsSync(path.join(home, folder))) continue;
    for (const entry of readdirSync(path.join(home, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const from = path.join(entry.parentPath ?? entry.path, entry.name);
      const to = path.join(copy, path.relative(home, from));
      mkdirSync(path.dirname(to), { recursive: true });
      linkSync(from, to);
    }
  }
  const provider =
    '[model_providers.none]\nname = "none"\nbase_url = "http://127.0.0.1:1/v1"\nwire_api = "responses"\n';
  writeFileSync(path.join(copy, 'config.toml'), `model = "none"\nmodel_provider = "none"\n\n${provider}`);
  return copy;
}

function request(server, lines, id, method, params) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Codex did not answer ${method}`)), ANSWER_MS);
    const settle = (act, value) => {
      clearTimeout(timer);
      lines.off('line', onLine);
      server.off('exit', onExit);
      act(value);
    };
    const onExit = (code) => settle(reject, new Error(`Codex ended with ${code} before it answered ${method}`));
    const onLine = (line) => {
      if (!line.startsWith('{')) return;
      const message = JSON.parse(line);
      if (message.id !== id || message.method !== undefined) return;
      if (message.error === undefined) settle(resolve, message.result);
      else settle(reject, new Error(`Codex refused ${method}: ${message.error.message}`));
    };
    lines.on('line', onLine);
    server.on('exit', onExit);
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  });
}

/** Starts the app-server on `home`; `{readyMs, firstPageMs, pageMs, threads}`, `pageMs` the median of five more pages. */
export async function appServerTimes(binary, home, userHome) {
  const env = { PATH: process.env['PATH'], HOME: userHome, CODEX_HOME: home };
  const startedAt = performance.now();
  const server = spawn(binary, ['app-server'], { env, cwd: userHome, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => server.on('exit', resolve));
  server.stdin.on('error', () => {}); // a server that died says so through its exit
  const lines = createInterface({ input: server.stdout });
  try {
    const clientInfo = { name: 'bench', title: 'bench', version: '0.0.0' };
    await request(server, lines, 1, 'initialize', { clientInfo, capabilities: { experimentalApi: true } });
    const readyMs = performance.now() - startedAt;
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'initialized', params: {} })}\n`);
    const times = [];
    let threads = 0;
    for (let page = 0; page < 6; page++) {
      const askedAt = performance.now();
      const result = await request(server, lines, page + 2, 'thread/list', {
        modelProviders: [],
        sourceKinds: SOURCES,
        limit: 50,
      });
      times.push(performance.now() - askedAt);
      threads = result.data.length;
    }
    const [firstPageMs, ...later] = times;
    return { readyMs, firstPageMs, pageMs: later.sort((a, b) => a - b)[2], threads };
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
}

/** Whether a Codex left databases in this copy, so that the next start is a warm one. */
export function forgetDatabases(home) {
  for (const name of readdirSync(home))
    if (name.includes('.sqlite')) rmSync(path.join(home, name), { recursive: true });
}
