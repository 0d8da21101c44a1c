/**
 * Invents what people and agents say in a generated thread, and drives a scribe with it turn by turn.
 * Everything comes from the vocabulary and the thread's own seeded randomness.
 */
import { logNormal, token } from './random.mjs';

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** `makeTalk(vocabulary, random)` prepares pools that all threads share; each call then takes the thread's randomness. */
export function makeTalk(vocabulary, shared) {
  const words = (random, count, draw) => {
    let text = draw(random);
    for (let i = 1; i < count; i++) text += ` ${draw(random)}`;
    return text;
  };
  const sentence = (random, count, language) => {
    if (language === 'korean') return `${words(random, count, vocabulary.korean)}${random.chance(0.8) ? '.' : '?'}`;
    if (language === 'mixed') {
      const draw = (source) => (source.chance(0.3) ? vocabulary.english(source) : vocabulary.korean(source));
      return `${words(random, count, draw)}.`;
    }
    return `${capital(words(random, count, vocabulary.english))}${random.chance(0.85) ? '.' : '?'}`;
  };
  const prose = (random, count, language) => {
    const parts = [];
    for (let left = count; left > 0; ) {
      const length = Math.min(left, random.between(4, 18));
      parts.push(sentence(random, length, language));
      left -= length;
    }
    return parts.join(' ');
  };
  const language = (random) => {
    const draw = random.next();
    return draw < 0.62 ? 'english' : draw < 0.86 ? 'korean' : 'mixed';
  };
  const file = (random) =>
    `${random.pick(['src', 'lib', 'test', 'packages/core/src', 'apps/web/src'])}/${random.pick(vocabulary.nouns)}-${random.pick(vocabulary.nouns)}.ts`;

  const outputLine = (random) => {
    switch (random.below(6)) {
      case 0:
        return `${file(random)}:${random.between(1, 900)}:${random.between(1, 80)} - error TS${random.between(1000, 9999)}: ${sentence(random, 9, 'english')}`;
      case 1:
        return ` ✓ ${words(random, 5, vocabulary.english)} (${random.between(1, 900)} ms)`;
      case 2:
        return `-rw-r--r-- 1 dev dev ${random.between(10, 90_000)} Nov ${random.between(1, 28)} 10:${random.between(10, 59)} ${file(random)}`;
      case 3:
        return `${random.between(1, 900)}:  const ${vocabulary.english(random)} = ${random.pick(vocabulary.verbs)}(${vocabulary.english(random)}, { ${random.pick(vocabulary.nouns)}: ${random.between(0, 99)} });`;
      case 4:
        return `+    "${words(random, 3, vocabulary.korean)}", // ${words(random, 6, vocabulary.english)}`;
      default:
        return `${random.hex(7)} ${words(random, 7, vocabulary.english)}`;
    }
  };
  // Output repeats itself in life too; drawing whole lines keeps a home of gigabytes quick to make.
  const outputLines = Array.from({ length: 8000 }, () => `${outputLine(shared)}\n`);
  const output = (random) => {
    const size = Math.min(40_000, logNormal(random, 500, 1.1));
    let text = random.pick(outputLines);
    while (text.length < size) text += random.pick(outputLines);
    return text;
  };

  const userText = (random) => {
    const text = prose(random, Math.max(2, Math.min(250, Math.round(logNormal(random, 11, 0.7)))), language(random));
    return random.chance(0.04)
      ? `${text}\n\n\`\`\`\n${random.pick(outputLines)}${random.pick(outputLines)}\`\`\``
      : text;
  };
  const agentText = (random) => {
    const spoken = language(random);
    const text = prose(random, Math.max(3, Math.min(400, Math.round(logNormal(random, 17, 0.8)))), spoken);
    if (!random.chance(0.12)) return text;
    const points = Array.from(
      { length: random.between(2, 5) },
      () => `- \`${file(random)}\`: ${sentence(random, 6, spoken)}`,
    );
    return `${text}\n\n${points.join('\n')}`;
  };
  const command = (random) => {
    const name = random.pick(vocabulary.nouns);
    switch (random.below(7)) {
      case 0:
        return `npm test -- ${name}`;
      case 1:
        return `rg -n "${vocabulary.english(random)}" ${random.pick(['src', 'lib', 'test'])}`;
      case 2:
        return `sed -n '${random.between(1, 200)},${random.between(201, 420)}p' ${file(random)}`;
      case 3:
        return 'git status --short && git diff --stat';
      case 4:
        return `npx tsc --noEmit -p tsconfig.json | head -${random.between(10, 60)}`;
      case 5:
        return `node scripts/${random.pick(vocabulary.verbs)}-${name}.mjs`;
      default:
        return `ls -la ${random.pick(['src', 'lib', 'test'])}/${name}`;
    }
  };

  /** The model's input grows by what was said since; four characters a token. */
  const spend = (scribe, added, outputTokens, reasoningTokens = 0) => {
    const opening = scribe.windowTokens === 0 ? 9000 : 0;
    scribe.spend(scribe.windowTokens + opening + Math.ceil(added / 4), outputTokens, reasoningTokens);
  };

  /** Writes one turn. `compactions: false` keeps the whole log part of the history. */
  const turn = (scribe, random, { compactions = true } = {}) => {
    scribe.beginTurn();
    const asked = userText(random);
    scribe.userMessage(asked);
    let added = asked.length;
    const full = scribe.windowTokens > scribe.thread.contextWindow * 0.9;
    if (compactions && scribe.turns > 1 && (full || (scribe.turns > 6 && random.chance(0.01)))) {
      spend(scribe, added, 600);
      scribe.compaction(`Summary so far: ${prose(random, 120, 'english')}`, [asked]);
    }
    for (let calls = Math.floor(-Math.log(1 - random.next()) * 2.1); calls > 0; calls--) {
      if (random.chance(0.25)) {
        scribe.wait(random.between(200, 3000));
        const summaries = Array.from(
          { length: random.between(1, 2) },
          () => `**${sentence(random, 4, 'english')}** ${prose(random, 14, 'english')}`,
        );
        spend(scribe, added, 60, 60);
        added = 0;
        scribe.reasoning(summaries, token(random.between(300, 1200), random));
      }
      scribe.wait(random.between(300, 4000));
      spend(scribe, added, random.between(20, 200));
      const text = output(random);
      added = text.length;
      const exitCode = random.chance(0.12) ? random.between(1, 2) : 0;
      scribe.command({ cmd: command(random), output: text, exitCode, seconds: logNormal(random, 0.3, 1.2) });
    }
    scribe.wait(random.between(400, 6000));
    const answer = agentText(random);
    spend(scribe, added, Math.ceil(answer.length / 4));
    scribe.agentMessage(answer);
    scribe.endTurn();
    scribe.wait(logNormal(random, 40_000, 1));
  };

  /** A long instruction text of about `chars` characters, with the marks and escapes that such texts have. */
  const instructions = (random, chars) => {
    let text = '# How to work\n\n';
    while (text.length < chars) {
      text += `## ${sentence(random, 4, 'english')}\n\n${prose(random, 70, 'english')}\n\n`;
      text += `- \`${command(random)}\` — "${sentence(random, 8, 'english')}"\n- ${sentence(random, 10, 'mixed')}\n\n`;
    }
    return text;
  };

  const title = (random) =>
    capital(words(random, random.between(2, 5), random.chance(0.5) ? vocabulary.english : vocabulary.korean));

  return { turn, instructions, title, prose };
}
