/**
 * A response of the Responses API as the events that stream it, in the order in which a client expects them.
 * Pure: the server writes what comes out of here.
 */

/** Code points of a text that one delta carries. */
const DELTA_CODE_POINTS = 2_000;

/** @returns {string[]} `text` in pieces that cut no code point; none for an empty text. */
export function deltasOf(text, size = DELTA_CODE_POINTS) {
  const codePoints = [...text];
  const deltas = [];
  for (let start = 0; start < codePoints.length; start += size)
    deltas.push(codePoints.slice(start, start + size).join(''));
  return deltas;
}

function* messageEvents(item, output_index) {
  const [part] = item.content;
  const place = { item_id: item.id, output_index, content_index: 0 };
  yield ['response.output_item.added', { output_index, item: { ...item, status: 'in_progress', content: [] } }];
  yield ['response.content_part.added', { ...place, part: { ...part, text: '' } }];
  for (const delta of deltasOf(part.text)) yield ['response.output_text.delta', { ...place, delta }];
  yield ['response.output_text.done', { ...place, text: part.text }];
  yield ['response.content_part.done', { ...place, part }];
}

function* reasoningEvents(item, output_index) {
  const { content: _later, ...head } = item;
  yield ['response.output_item.added', { output_index, item: { ...head, summary: [] } }];
  for (const [summary_index, part] of item.summary.entries()) {
    const place = { item_id: item.id, output_index, summary_index };
    yield ['response.reasoning_summary_part.added', { ...place, part: { ...part, text: '' } }];
    for (const delta of deltasOf(part.text)) yield ['response.reasoning_summary_text.delta', { ...place, delta }];
    yield ['response.reasoning_summary_text.done', { ...place, text: part.text }];
    yield ['response.reasoning_summary_part.done', { ...place, part }];
  }
  for (const [content_index, part] of (item.content ?? []).entries()) {
    const place = { item_id: item.id, output_index, content_index };
    for (const delta of deltasOf(part.text)) yield ['response.reasoning_text.delta', { ...place, delta }];
  }
}

function* itemEvents(item, output_index) {
  if (item.type === 'message') yield* messageEvents(item, output_index);
  else if (item.type === 'reasoning') yield* reasoningEvents(item, output_index);
  else yield ['response.output_item.added', { output_index, item }];
  yield ['response.output_item.done', { output_index, item }];
}

/**
 * @param {{id: string, model: string, items: object[], usage: {input: number, output: number}}} response
 * @yields {[type: string, data: object]}
 */
export function* responseEvents({ id, model, items, usage }) {
  const base = { id, object: 'response', model, status: 'in_progress', output: [] };
  yield ['response.created', { response: base }];
  for (const [index, item] of items.entries()) yield* itemEvents(item, index);
  const counts = {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.input + usage.output,
  };
  yield ['response.completed', { response: { ...base, status: 'completed', output: items, usage: counts } }];
}

/** The events as text of an event stream, numbered. */
export function* eventStream(events) {
  let sequence_number = 0;
  for (const [type, data] of events) {
    yield `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...data })}\n\n`;
    sequence_number += 1;
  }
}
