/**
 * `codicil decode`: protocol lines from stdin under one of the four unknown-type policies.
 * Prints JSON lines in every mode: a chunk is answered for before the next is read.
 */
import { PolicyDecoder, type PolicyDecoderOptions } from '../../protocol/decode-stream.js';
import { EXIT_DONE, EXIT_FAULT, UsageError } from '../failure.js';
import type { Invocation } from '../parse-invocation.js';
import { readLines } from '../read-lines.js';
import type { Verb } from '../run.js';

export const decode: Verb = async ({ invocation, context, output, signal }) => {
  const decoder = createDecoder(invocation);
  for await (const lines of readLines(context.stdin, signal)) {
    for (const line of lines) {
      const answer = decoder.decodeText(line);
      if (answer !== undefined) await output.line(JSON.stringify(answer));
    }
    await output.flush();
  }
  const summary = decoder.summary();
  await output.line(JSON.stringify({ summary }));
  return summary.opens ? EXIT_DONE : EXIT_FAULT;
};

function createDecoder(invocation: Invocation): PolicyDecoder {
  const policy = invocation.value('as');
  if (policy === undefined) {
    throw new UsageError('decode needs --as POLICY: strict, skip-line, refuse-unless-ignorable or map-to-unknown', {
      hint: `Example: ${invocation.command.examples[0].line}`,
    });
  }
  const options: PolicyDecoderOptions = {
    // The command table lets through only the names of policies and shapes.
    policy: policy as PolicyDecoderOptions['policy'],
    shape: (invocation.value('shape') ?? 'auto') as PolicyDecoderOptions['shape'],
    onlyName: invocation.value('only-name'),
  };
  try {
    return new PolicyDecoder(options);
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}
