/**
 * Threads that Codex made with `exec`: what we say a resume would send is what it sends, turn after turn.
 */
import { check } from '../lib/lab.mjs';
import { converse, SCRIPTS } from '../lib/scripts.mjs';

export const cases = Object.entries(SCRIPTS).map(([name, script]) => ({
  name: `read exec: ${name}`,
  about: 'made by codex exec, our history is what its resume sends, twice in a row',
  async run(lab) {
    const id = await converse(lab.codex, script);
    const rows = await lab.ours.list(lab.home);
    check(rows.length === 1 && rows[0].id === id, `we list ${JSON.stringify(rows.map((row) => row.id))}, not ${id}`);
    check(rows[0].title.startsWith(script.prompts[0].split('\n')[0]), `its title is "${rows[0].title}"`);
    check(rows[0].dialect === lab.release.dialect, `we call it ${rows[0].dialect}`);
    const compacted = lab.mock.requests.some(({ kind }) => kind.startsWith('compact'));
    check(compacted === (name === 'compaction'), compacted ? 'a compaction happened' : 'no compaction happened');
    const first = await lab.checkResume(id, 'And then?');
    const second = await lab.checkResume(id, '그리고? 🙂');
    check(second.length > first.length, 'the second resume sends no more than the first');
    return { items: [first.length, second.length] };
  },
}));
