/** Which release this is. */
import manifest from '../../package.json' with { type: 'json' };

/** As the package says: `0.1.0`. */
export const PROGRAM_VERSION: string = manifest.version;
