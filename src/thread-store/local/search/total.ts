/**
 * How many messages or threads a query finds: exact where it costs little, else a bound that says so.
 */
import type { SearchIndex } from '../../../state/index.js';
import type { Catalog } from './catalog.js';
import type { DocumentsFilter } from './documents-filter.js';
import type { TypedTerm, WeighedQuery } from './terms.js';

export interface Total {
  readonly total: number;
  /** True when there are at most so many. */
  readonly totalIsBound: boolean;
}

export interface CountOptions {
  readonly index: SearchIndex;
  readonly catalog: Catalog;
  readonly filter: DocumentsFilter;
  /** What the ranking found; undefined when nothing was listed. */
  readonly listed: { readonly messages: number; readonly threads: number } | undefined;
  readonly byThread: boolean;
}

export function countMessages(query: WeighedQuery, options: CountOptions): Total {
  const { listed, byThread } = options;
  const sought = query.required.length > 0 ? query.required : query.content;
  if (sought.every(({ documents }) => documents !== undefined)) {
    return { total: (byThread ? listed?.threads : listed?.messages) ?? 0, totalIsBound: false };
  }
  const messages = countCommon(query, sought, options);
  if (!byThread) return messages;
  return { total: Math.min(messages.total, options.catalog.threads.count), totalIsBound: true };
}

function countCommon(
  { required, exclusion, substitutes }: WeighedQuery,
  sought: readonly TypedTerm[],
  { index, catalog, filter }: CountOptions,
): Total {
  if (filter.isActive) return countFitting(sought, { catalog, filter });
  const isAll = required.length > 0;
  const [first, second, ...others] = sought;
  if (first === undefined || others.length > 0 || substitutes.length > 0) {
    const counted = sought.every((term) => isOneToken(term)) && sought.length <= 3;
    const sum = sought.reduce((all, { frequency }) => all + frequency, 0);
    // Estimated frequencies bound nothing; that there are no more than all does.
    return { total: counted ? Math.min(catalog.rows, sum) : catalog.rows, totalIsBound: true };
  }
  const expression = sought.map((term) => `(${term.expression})`).join(isAll ? ' AND ' : ' OR ');
  const total =
    second === undefined && exclusion === '' && isOneToken(first)
      ? first.frequency
      : catalog.frequency(`${expression}${exclusion}`, () => index.count(`(${expression})${exclusion}`));
  return { total, totalIsBound: !catalog.isWhole };
}

function countFitting(
  sought: readonly TypedTerm[],
  { catalog, filter }: Pick<CountOptions, 'catalog' | 'filter'>,
): Total {
  const found = new Set<number>();
  let isWhole = true;
  for (const { fitting, documents } of sought) {
    const known = fitting ?? (documents && filter.select(documents));
    if (known === undefined) isWhole = false;
    else for (const document of known) found.add(document);
  }
  return isWhole ? { total: found.size, totalIsBound: false } : { total: catalog.rows, totalIsBound: true };
}

function isOneToken({ term }: TypedTerm): boolean {
  const [only, ...others] = term.alternatives;
  return term.kind === 'word' && others.length === 0 && only?.tokens.length === 1 && !only.prefix;
}
