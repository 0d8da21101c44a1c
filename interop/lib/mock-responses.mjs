/**
 * A model that answers by script: the part of the Responses API that Codex uses, over HTTP on the loopback address.
 *
 * Every request is kept whole; `input` of a request is the history that the client sent. Never decides what a client
 * should have sent. Answers are taken from the script in order, by requests for a turn only; without a script left,
 * each turn gets one short message, so that nobody waits.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { decompress } from 'fzstd';
import { inputOf, outputItem } from './output-items.mjs';
import { eventStream, responseEvents } from './sse.mjs';

export const SUMMARY = 'SUMMARY: what was asked was done.';

/** Says of its own request that it is one: the releases that compact by a prompt put it last. */
const COMPACTION_PROMPT = /CONTEXT CHECKPOINT COMPACTION|summarize the (conversation|thread)/i;

/** The text of a message, whatever its parts. */
export function textOf(item) {
  if (typeof item?.content === 'string') return item.content;
  return (item?.content ?? []).map(({ text }) => text ?? '').join('');
}

/**
 * What a request is for.
 * @returns {'turn' | 'compact' | 'compact-remote' | 'models' | 'other'}
 */
export function requestKind({ method, url, headers = {}, body = {} }) {
  if (method === 'GET' && /\/models\b/.test(url)) return 'models';
  if (method !== 'POST' || !/\/responses\b/.test(url)) return 'other';
  if (/\/responses\/compact\b/.test(url)) return 'compact-remote';
  const subagent = headers['x-openai-subagent'] ?? body.client_metadata?.['x-openai-subagent'] ?? '';
  if (/compact/.test(subagent)) return 'compact';
  const input = inputOf(body);
  if (input.some(({ type }) => type === 'compaction_trigger')) return 'compact';
  return COMPACTION_PROMPT.test(textOf(input.at(-1))) ? 'compact' : 'turn';
}

/** The JSON of a body, whatever it was packed with; throws SyntaxError or a codec's error. */
export function decodeBody(bytes, encoding) {
  if (bytes.length === 0) return undefined;
  let plain = bytes;
  if (encoding === 'gzip') plain = gunzipSync(bytes);
  else if (encoding === 'zstd') plain = Buffer.from(decompress(bytes));
  return JSON.parse(plain.toString('utf8'));
}

/**
 * @typedef {{method: string, url: string, headers: Record<string, string>, body: any, kind: string}} Recorded
 * @typedef {{items?: object[], usage?: {input: number, output: number}, status?: number}} Step
 */
export class MockModel {
  /** @type {Recorded[]} every request, in the order of arrival */
  requests = [];
  /** Called with each request for a turn before it is answered, and awaited. */
  beforeTurn = async () => {};
  #script = [];
  #turns = 0;
  #server = createServer((request, response) => this.#receive(request, response));

  /** @returns {Promise<MockModel>} that listens on a free port of the loopback address */
  static async start() {
    const mock = new MockModel();
    await new Promise((resolve, reject) => {
      mock.#server.once('error', reject);
      mock.#server.listen(0, '127.0.0.1', resolve);
    });
    return mock;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/v1`;
  }

  /** What the next turns are answered with. Replaces what is left. @param {Step[]} steps */
  script(steps) {
    this.#script = [...steps];
  }

  /** Requests for a turn that came after the first `count` requests. */
  turnsSince(count) {
    return this.requests.slice(count).filter(({ kind }) => kind === 'turn');
  }

  async close() {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #receive(request, response) {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('error', () => {}); // the client has gone; its exit says why
    response.on('error', () => {});
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      let body;
      try {
        body = decodeBody(Buffer.concat(chunks), headers['content-encoding']);
      } catch (error) {
        this.requests.push({ method, url, headers, body: undefined, kind: 'unreadable' });
        sendJson(response, 400, { error: { message: `The body cannot be read: ${error.message}` } });
        return;
      }
      const kind = requestKind({ method, url, headers, body });
      const recorded = { method, url, headers, body, kind };
      this.requests.push(recorded);
      if (kind !== 'turn') return this.#answer(kind, body, response);
      this.beforeTurn(recorded).then(
        () => this.#answer(kind, body, response),
        (error) => sendJson(response, 500, { error: { message: `Before the turn: ${error.message}` } }),
      );
    });
  }

  #answer(kind, body, response) {
    switch (kind) {
      case 'models':
        return sendJson(response, 200, { object: 'list', data: [], models: [] });
      case 'compact-remote': {
        const kept = inputOf(body).filter(({ role }) => role === 'user');
        return sendJson(response, 200, {
          output: [...kept, { type: 'compaction', encrypted_content: 'c3VtbWFyeQ==' }],
        });
      }
      case 'compact': {
        const trigger = inputOf(body).some(({ type }) => type === 'compaction_trigger');
        const item = { type: 'compaction', encrypted_content: 'c3VtbWFyeQ==' };
        return this.#stream(response, body, { items: [trigger ? { item } : { message: SUMMARY }] });
      }
      case 'turn': {
        this.#turns += 1;
        const step = this.#script.shift() ?? { items: [{ message: `Noted (${this.#turns}).` }] };
        if (step.status !== undefined) return sendJson(response, step.status, { error: { message: 'Scripted' } });
        return this.#stream(response, body, step);
      }
      default:
        return sendJson(response, 404, { error: { message: 'No such route' } });
    }
  }

  #stream(response, body, { items = [], usage = { input: 100, output: 20 } }) {
    const id = `resp_${randomUUID().replaceAll('-', '')}`;
    const output = items.map((element) => outputItem(element, body));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of eventStream(responseEvents({ id, model: body.model, items: output, usage })))
      response.write(chunk);
    response.end();
  }
}

function sendJson(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
