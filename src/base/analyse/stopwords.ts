/**
 * Words that hold a sentence together and say little of what it is about, in English and Korean.
 * A mark for ranking only: nothing is left out of the index or of a query because it stands here.
 */

const ENGLISH =
  "a about after all also am an and any are as at be because been before being but by can could did do does doing don't for from had has have having he her hers him his how i if in into is isn't it its just me more most my no nor not of off on once only or other our ours out over own same she should so some such than that the their theirs them then there these they this those through to too under until up us very was we were what when where which while who whom whose why will with would you your yours";

const KOREAN =
  '그 이 저 것 거 게 건 걸 수 등 및 좀 잘 더 또 또는 그리고 그러나 하지만 그런데 그래서 그러면 그럼 왜 뭐 뭘 무엇 무엇을 어떻게 어떤 어디 어디서 언제 누가 누구 이것 그것 저것 이거 그거 이걸 그걸 여기 거기 저기 나 나는 내 내가 너 네 우리 저는 제 제가 당신 있는 있다 있어 있나 있나요 있습니다 없는 없다 없어 없습니다 하는 한 할 해 했다 했어 하고 하다 합니다 된 되는 된다 됩니다 되다 이다 입니다 대한 대해 대해서 위한 위해 위해서 때 때문에 경우 같은 같이 모든 다른 어느 아주 매우';

const STOPWORDS: ReadonlySet<string> = new Set([...ENGLISH.split(' '), ...KOREAN.split(' ')]);

/** Whether `word`, in composed small letters, is a function word. */
export function isStopword(word: string): boolean {
  return STOPWORDS.has(word.replaceAll('’', "'"));
}
