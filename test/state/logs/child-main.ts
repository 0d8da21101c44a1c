/** What a child process of the tests of the log does: one verb, then the path of the database. */
import { openLogsDatabase } from '../../../src/state/logs/index.js';
import { NOW, records } from './records.js';

const [verb, path = '', number = '0'] = process.argv.slice(2);
const say = (value: unknown): boolean => process.stdout.write(`${JSON.stringify(value)}\n`);

/** The parent says when: children that are all up act at the same moment. */
async function go(): Promise<void> {
  say('ready');
  for await (const _ of process.stdin) return;
}

switch (verb) {
  case 'write': {
    await go();
    let setAside = 0;
    const logs = openLogsDatabase({
      path,
      now: () => NOW,
      onSetAside: () => {
        setAside += 1;
      },
    });
    let written = 0;
    for (let batch = 0; batch < 20; batch += 1) {
      written += logs.append(records(20, { processId: `pid:${number}`, message: `${batch}` })) ? 20 : 0;
    }
    logs.close();
    say({ written, setAside });
    break;
  }
  case 'die-in-batch': {
    const logs = openLogsDatabase({ path, now: () => NOW });
    logs.append(records(100, { processId: 'pid:whole' }));
    const batch = records(100, { processId: 'pid:torn', message: 'x'.repeat(100_000) });
    // Read while the batch is being written: 50 rows are in the transaction.
    Object.defineProperty(batch[50], 'level', { get: () => process.kill(process.pid, 'SIGKILL') });
    logs.append(batch);
    break;
  }
  default:
    throw new Error(`Unknown verb: ${verb}`);
}
