/** A home that several rows ask: made once, indexed once. */
import { codicil, environment, stateFolder } from './homes.mjs';
import { run } from './measure.mjs';

/** The home, indexed once, and how to run the program on it. */
export async function indexed(context, name) {
  const home = await context.home(name);
  const env = environment(stateFolder(home.name));
  if (!context.shared.has(`indexed ${name}`)) {
    await run(codicil('rebuild', '--json', '--home', home.path), { env, capture: false });
    context.shared.set(`indexed ${name}`, true);
  }
  return { home, env };
}
