import { describe, expect, test } from 'vitest';
import { readHeadSync } from '../../src/rollout/head.js';
import { allRollouts, files, messageLine, metaLine, readAll, tempFile } from './samples.js';

describe('readHeadSync()', () => {
  test('agrees with the full read on every genuine rollout', async () => {
    for (const path of allRollouts()) {
      const whole = await readAll(path);
      const head = readHeadSync(path, files);
      const ofType = (type: string) => whole.records.find((record) => record.line.item.type === type);
      expect({ path, shape: head.shape, dialect: head.dialect }).toEqual({
        path,
        shape: whole.shape,
        dialect: whole.dialect,
      });
      const meta = ofType('session_meta');
      expect(head.meta?.byteLength).toBe(meta?.byteLength);
      expect(head.meta?.line.item.payload.id).toBe(meta?.line.item.payload.id);
      expect(head.turnContext).toEqual(ofType('turn_context'));
      if (!path.endsWith('.zst')) expect(head.lastRecord).toEqual({ ...whole.records.at(-1), lineNumber: 0 });
      const typed = whole.records.find(({ line: { item } }) => {
        if (item.type !== 'event_msg') return false;
        const payload = item.payload as { type: string; item?: { type?: string } };
        return (
          payload.type === 'user_message' || (payload.type === 'item_completed' && payload.item?.type === 'UserMessage')
        );
      });
      expect(head.userEvent).toEqual(typed);
    }
  });

  test('leaves the text of the base instructions out, whatever it holds', () => {
    const text = `say "hi" \\ and "end\\\\" ${'x'.repeat(20_000)}`;
    const meta = metaLine({ base_instructions: { text, provenance: { type: 'model' } }, cwd: '/after' });
    const head = readHeadSync(tempFile(`${meta}\n${messageLine('hello')}\n`), files);
    expect(head.meta?.line.item.payload).toMatchObject({
      base_instructions: { text: '', provenance: { type: 'model' } },
      cwd: '/after',
    });
    expect(head.meta?.byteLength).toBe(Buffer.byteLength(meta));
    expect(head.userItems).toHaveLength(1);
  });

  test('finds a session_meta of 5 MB and one that is not on the first line', () => {
    const huge = metaLine({ base_instructions: { text: 'x'.repeat(5 * 1024 * 1024) } });
    expect(readHeadSync(tempFile(`${huge}\n`), files).meta).toBeDefined();
    const late = tempFile(`${messageLine('a')}\nnot json\n${metaLine({ history_mode: 'paginated' })}\n`);
    expect(readHeadSync(late, files)).toMatchObject({
      dialect: 'paginated',
      meta: { lineNumber: 3 },
    });
  });

  test.each([
    ['', true],
    ['\n \r\n', true],
    ['\0\0\0', true],
    ['{', false],
  ])('tells of %j whether it is empty: %s', (content, empty) => {
    expect(readHeadSync(tempFile(content), files).empty).toBe(empty);
  });

  test('takes the last valid record before a torn tail and a hole', () => {
    const path = tempFile(`${metaLine()}\n${messageLine('last')}\n${messageLine('torn').slice(0, 50)}\0\0\0`);
    expect(readHeadSync(path, files).lastRecord?.line.item.type).toBe('response_item');
  });
});
