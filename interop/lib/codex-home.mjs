/**
 * A scratch home of Codex: configuration that knows one model only, the scripted one, and a project to work in.
 * Nothing in it reaches a network; nothing outside of it is read as a home.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** `config.toml` for Codex; `extra` are top-level lines. */
export function configText(modelUrl, extra = '') {
  return `model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
${extra}
[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`;
}

export function writeConfig(home, modelUrl, extra) {
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, 'config.toml'), configText(modelUrl, extra));
}

/** A git repository with one commit; its folder. */
export function makeProject(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'README.md'), '# A project\n');
  const git = (...args) => {
    const author = ['-c', 'user.name=interop', '-c', 'user.email=interop@example.invalid'];
    const { status, stderr, error } = spawnSync('git', [...author, ...args], { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr || error}`);
  };
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'First');
  return folder;
}

/** All that a child may see of the environment. */
export function childEnv(scratch, extra = {}) {
  return {
    PATH: process.env['PATH'],
    HOME: path.join(scratch, 'user'),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    TZ: 'UTC',
    ...extra,
  };
}
