/**
 * What a child process of the tests does: one verb, then the arguments. Says on stdout, in lines of JSON, what came out.
 */
import { openSqlite } from '../../src/platform/sqlite/index.js';
import { APPLICATION_ID, migrate, openStateDatabase } from '../../src/state/index.js';
import { STATE_MIGRATIONS } from '../../src/state/migrations/index.js';
import { fileRecord, HOME, threadId, threadRecord, watermark } from './records.js';

const [verb, path = '', number = '0'] = process.argv.slice(2);
const say = (value: unknown): boolean => process.stdout.write(`${JSON.stringify(value)}\n`);
const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('Not reached');
};

/** The parent says when: children that are all up act at the same moment. */
async function go(): Promise<void> {
  say('ready');
  for await (const _ of process.stdin) return;
}

switch (verb) {
  case 'open': {
    await go();
    let setAside = 0;
    const db = openStateDatabase({
      path,
      homePath: HOME,
      onSetAside: () => {
        setAside += 1;
      },
    });
    db.putThread(threadRecord(Number(number)));
    db.putEdges([{ child: threadId(Number(number)), parent: threadId(0) }]);
    say({ setAside, memory: db.memoryCause?.message ?? null });
    db.close();
    break;
  }
  case 'race': {
    await go();
    const db = openStateDatabase({ path, homePath: HOME });
    let won = 0;
    for (let step = 0; step < 40; step += 1) {
      const expected = db.watermark(fileRecord(1).path) ?? null;
      const next = watermark({ lines: (expected?.lines ?? 0) + 1 });
      won += Number(db.putFile(fileRecord(1, { watermark: next }), { expected }));
    }
    say(won);
    db.close();
    break;
  }
  case 'die-in-migration': {
    const database = openSqlite({ path, applicationId: APPLICATION_ID });
    // The clock is read after the SQL of a migration ran and before it is recorded.
    migrate(database, STATE_MIGRATIONS, die);
    break;
  }
  case 'die-in-rebuild': {
    const db = openStateDatabase({ path, homePath: HOME });
    const building = db.inGeneration(db.beginGeneration());
    building.putThread(threadRecord(Number(number)));
    say('built');
    die();
    break;
  }
  case 'hold': {
    const database = openSqlite({ path, applicationId: APPLICATION_ID });
    database.exec('BEGIN EXCLUSIVE');
    await go();
    database.exec('COMMIT');
    database.close();
    break;
  }
  default:
    throw new Error(`Unknown verb: ${verb}`);
}
