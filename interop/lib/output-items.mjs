/**
 * What a scripted model answers with: small elements of a script become output items of the Responses API, in the
 * form of whichever tool the request offers. Knows no server and no file.
 */
import { randomUUID } from 'node:crypto';

/** @param {string} prefix */
const newId = (prefix) => `${prefix}_${randomUUID().replaceAll('-', '')}`;

/**
 * Every tool that a request offers: those of namespaces, and of `additional_tools` items, too.
 * @returns {{type: string, name?: string, namespace?: string}[]}
 */
export function offeredTools(body) {
  const found = [];
  const collect = (tools, namespace) => {
    for (const tool of tools ?? []) {
      if (tool.type === 'namespace') collect(tool.tools, tool.name);
      else found.push({ type: tool.type, name: tool.name, namespace });
    }
  };
  collect(body.tools);
  for (const item of inputOf(body)) if (item.type === 'additional_tools') collect(item.tools);
  return found;
}

/** The `input` items of a request body; none for a body of another kind. */
export function inputOf(body) {
  return Array.isArray(body?.input) ? body.input : [];
}

/**
 * A call that runs `command` in a shell.
 * Releases name that tool differently; a request that offers none gets the call that the oldest of them knew.
 */
function shellCall(tools, command) {
  const call_id = newId('call');
  const named = (name) => tools.some((tool) => tool.name === name && tool.type === 'function');
  const call = (name, args) => ({
    type: 'function_call',
    id: newId('fc'),
    call_id,
    name,
    arguments: JSON.stringify(args),
  });
  const argv = ['bash', '-lc', command];
  if (named('exec_command')) return call('exec_command', { cmd: command });
  if (named('shell_command')) return call('shell_command', { command });
  if (tools.some(({ type }) => type === 'local_shell')) {
    const action = { type: 'exec', command: argv, timeout_ms: 10_000 };
    return { type: 'local_shell_call', id: newId('lsh'), call_id, status: 'completed', action };
  }
  if (!named('shell') && tools.some(({ type, name }) => type === 'custom' && name === 'exec')) {
    const input = `text(await tools.exec_command(${JSON.stringify({ cmd: command })}));`;
    return { type: 'custom_tool_call', id: newId('ctc'), call_id, status: 'completed', name: 'exec', input };
  }
  return call('shell', { command: argv });
}

/**
 * One element of a script as an output item:
 * `{message, phase?}`, `{reasoning: [summary…], raw?}`, `{shell}`, `{call, args}`, `{item}` (as it is).
 */
export function outputItem(element, body) {
  if (element.message !== undefined) {
    const content = [{ type: 'output_text', text: element.message, annotations: [] }];
    const phase = element.phase === undefined ? {} : { phase: element.phase };
    return { type: 'message', id: newId('msg'), role: 'assistant', status: 'completed', ...phase, content };
  }
  if (element.reasoning !== undefined) {
    const summary = element.reasoning.map((text) => ({ type: 'summary_text', text }));
    const raw = element.raw === undefined ? {} : { content: [{ type: 'reasoning_text', text: element.raw }] };
    const encrypted_content = Buffer.from(element.reasoning.join(' ')).toString('base64');
    return { type: 'reasoning', id: newId('rs'), summary, ...raw, encrypted_content };
  }
  if (element.shell !== undefined) return shellCall(offeredTools(body), element.shell);
  if (element.call !== undefined) {
    const args = JSON.stringify(element.args ?? {});
    return { type: 'function_call', id: newId('fc'), call_id: newId('call'), name: element.call, arguments: args };
  }
  if (element.item !== undefined) return { id: newId('it'), ...element.item };
  throw new TypeError(`No output item is made of ${JSON.stringify(element)}`);
}
