/**
 * The colours of the views. All are the identity when there is no terminal, under `NO_COLOR`, `TERM=dumb` or `--no-color`.
 */
import pc from 'picocolors';
import type { Environment } from './context.js';

type Paint = (text: string) => string;

export interface Palette {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly blue: Paint;
  readonly magenta: Paint;
  readonly cyan: Paint;
}

export function createPalette(options: {
  readonly isTTY: boolean;
  readonly env: Environment;
  readonly noColor: boolean;
}): Palette {
  const enabled = options.isTTY && !options.noColor && !options.env['NO_COLOR'] && options.env['TERM'] !== 'dumb';
  const { bold, dim, red, green, yellow, blue, magenta, cyan } = pc.createColors(enabled);
  return { bold, dim, red, green, yellow, blue, magenta, cyan };
}
