/** The items of a turn as the records of `show --jsonl`. */
import type { TurnView } from '../../projection/turn.js';
import type { Run } from '../run.js';

export async function printTurnRecords({ output }: Run, number: number, turn: TurnView): Promise<void> {
  for (const item of turn.items) await output.line(JSON.stringify({ turn: number, turnId: turn.id, ...item }));
}
