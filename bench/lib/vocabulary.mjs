/**
 * A vocabulary of about 45,000 English words and identifiers and 25,000 Korean word forms, built from roots
 * by the rules of the two languages, with a Zipf distribution over it: few words are everywhere, most are rare,
 * as in real talk about code. A full-text index feels the size of the vocabulary more than the number of words.
 */
import { makeRandom, shuffle } from './random.mjs';

const COMMON_ENGLISH =
  `the to a of and is in it that for this on with we be are not you as from have but if or at by can when so was an which
  then will there no only all one what do does should now into more up out file test because has how after also use before
  still same new just than first where them run its line code make our any they get error each two change other would set
  build call been add found both check need see`.split(/\s+/);

const VERBS =
  `accept align allocate append apply assert attach await batch bind block branch break buffer build bundle cache call cancel
  cast catch change check choose clamp clean clear clip clone close collect commit compare compile compose compress compute
  configure connect consume copy count crash create decode defer delete deploy derive detach detect diff discard dispatch
  drain drop dump emit encode escape evict expand export extend extract fail fetch filter finish fix flush fold follow format
  forward freeze gather generate group guard handle hash hold hoist ignore import index inject inline insert inspect install
  invoke iterate join keep kill launch leak limit link list load lock log lower map mark mask match measure merge migrate
  mirror mock monitor move mutate name narrow notify observe omit open order own pack pad parse patch pause pin poll pop
  prefetch print probe process prune publish pull purge push query queue quote raise read rebase rebuild record recover
  reduce refactor refresh register reject release reload remove rename render repair repeat replace replay report request
  require reserve reset resolve restart restore resume retry return reuse revert review rewrite roll rotate round route sample
  save scan schedule scope score search seed select send serialize serve shift show shrink sign skip sleep slice sort spawn
  split stage start stash stop store stream strip submit suspend swap sync tag take tap tear throw tick toggle touch trace
  track transfer transform traverse trim truncate turn type unwind update upgrade upload validate verify view wait walk warn
  watch wire wrap write yield`.split(/\s+/);

const NOUNS =
  `account action adapter address agent alias anchor answer archive argument array artifact asset atom attempt backend backlog
  balance bandwidth barrier baseline binary bit board body boundary bracket brand bridge bucket budget bug byte callback
  canvas capacity card cascade catalog cell chain channel chapter character chart checkpoint child chunk circle client clock
  closure cluster collision column comma command comment compiler component condition config conflict console constant
  container content context contract cookie core corpus coverage cursor cycle daemon dashboard data database deadline decimal
  default delta dependency depth descriptor design device dialect digest directory disk document domain draft driver edge
  editor element engine entity entry enum environment epoch event example exception expression factor fallback feature fence
  field fixture flag folder font footer fork fragment frame framework frontend function gateway generator glob graph grid
  guide half handler header heap helper history hook host hunk icon identity image input instance instant integer interface
  interval invoice issue item job journal key keyword label lane language latency layer layout leaf lease ledger length lesson
  letter level lexer library license lifetime list literal locale locker loop macro manifest margin marker memory message
  metadata meter method metric middleware mode model module monitor month mutex namespace needle network node note notice null
  number object offset operand operator option origin output owner package packet page pair panel panic parameter parent parser
  partition password path pattern payload peer percent period permission phase pipe pipeline pixel platform plugin pointer
  policy pool port position posting prefix preset primitive priority profile project promise prompt property protocol provider
  proxy pull quarter quota race range rank ratio reader receipt recipe record recursion reference region registry regression
  release remote renderer replica repository request resolver resource response result revision ring role root row rule runner
  runtime sandbox schema scheme script secret section segment semaphore sentence sequence server service session setting shadow
  shape shard shell sibling signal signature sink size slot snapshot socket source span spec stack state statement station
  status step storage strategy string struct style subject suffix suite summary surface switch symbol syntax system table
  target task template terminal text theme thread threshold throttle timeout timer timestamp title token tool topic total
  trailer transaction transcript tree trigger tuple turn unit update upload user usage value variable variant vector vendor
  version vertex view volume watermark weight width window word worker workspace writer yaml zone`.split(/\s+/);

const ADJECTIVES =
  `active atomic bare blank broken busy clean cold common compact complete concrete constant corrupt current custom dead deep
  dirty double eager early empty exact external fast final first fixed flaky flat foreign free fresh full global greedy half
  hard hidden hot idle implicit inner internal large last late lazy legacy local long loose major malformed minimal minor
  missing mixed narrow native nested noisy odd old opaque optional outer partial plain private public pure quiet raw ready
  recent relative remote reverse safe shallow short silent simple single slow small sparse stable stale static strict strong
  subtle sudden thin tight tiny torn typed unique unknown upper valid visible warm weak whole wide wrong`.split(/\s+/);

const COMMON_KOREAN =
  `이 그 수 있는 있습니다 것 같은 해 주세요 지금 다시 왜 안 먼저 그리고 하지만 그래서 때문에 경우 다음 위에서 아래 모두 다른 새로
  확인 파일 테스트 오류 함수 코드 문제 결과 이미 아직 바로 한 번 두 줄 해서 하면 됩니다 없습니다 아니라 어떻게 무엇을 여기서 거기
  그대로 조금 더 잘 못 또 및`.split(/\s+/);

const KOREAN_NOUNS =
  `가중치 값 개발 개행 객체 검사 검색 검증 결과 경계 경고 경로 계산 계약 계층 고정 공백 공유 관리 교체 구간 구문 구조 권한 규칙
  그래프 글자 기능 기록 기본값 기억 길이 깊이 꼬리 나무 난수 날짜 내용 네트워크 노드 단계 단위 닫기 대기열 대상 대화 데이터 도구
  동작 디렉터리 따옴표 로그 루프 마감 매개변수 머리 메모리 메시지 명령 목록 묶음 문맥 문서 문자열 문장 반환 방향 배열 배포 버퍼
  번호 범위 변경 변수 변환 별칭 병합 보고 복구 복사 본문 부모 부분 분기 분석 브랜치 블록 비교 비용 빈칸 빌드 사본 사용자 삭제
  상수 상태 색인 생성 서버 서식 선택 설계 설명 설정 설치 성능 세션 소스 속도 손상 수정 순서 숫자 스레드 스키마 시각 시간 시작 식별자
  신호 실패 실행 쓰기 안내 압축 양식 어휘 언어 업데이트 역할 연결 열기 영역 예약 예외 예제 옵션 완료 요약 요청 용량 우선순위 원본
  원인 위치 유형 응답 의존성 이동 이력 이름 이벤트 인덱스 인수 인자 입력 자료 자식 작업 잠금 재시도 저장소 적용 전송 절차 점검 접두사
  정규식 정렬 정리 정의 제목 제한 조각 조건 종료 좌표 주석 주소 줄바꿈 중복 지연 진단 질의 집계 차이 참조 처리 첨부 초기화 최적화
  추가 추적 출력 충돌 측정 캐시 컴파일 크기 클래스 키 타입 탐색 토큰 통계 트랜잭션 파서 패치 패키지 편집 평가 포인터 표기 표시 프로세스
  플래그 필드 필터 합계 해석 해시 행 형식 호출 화면 확장 환경 회귀 회차 후보 흐름`.split(/\s+/);

const PARTICLES =
  `은 는 이 가 을 를 의 에 에서 에게 로 으로 와 과 도 만 부터 까지 마다 보다 처럼 조차 밖에 이나 라도 에는 에도 에서는 으로는 까지는
  만으로 별로 들 들이 들을 들의`.split(/\s+/);

const KOREAN_ENDINGS =
  `하다 하고 하는 하면 한 할 해 해서 했다 했고 했는데 했습니다 합니다 하세요 하려면 하지 하지만 하도록 하기 하여 하거나 하니까 된다
  되고 되는 되면 된 될 되어 되었다 됩니다 되지 되도록 되는데 되었습니다 시키고 시킨다 시켜서`.split(/\s+/);

function pastOf(verb) {
  if (verb.endsWith('e')) return `${verb}d`;
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ied`;
  return `${verb}ed`;
}

const gerundOf = (verb) => (verb.endsWith('e') ? `${verb.slice(0, -1)}ing` : `${verb}ing`);
const pluralOf = (word) =>
  /(s|x|ch|sh)$/.test(word) ? `${word}es` : /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
const capital = (word) => word[0].toUpperCase() + word.slice(1);

function englishWords(random) {
  const rare = new Set();
  for (const verb of VERBS) {
    for (const form of [verb, pluralOf(verb), pastOf(verb), gerundOf(verb)]) rare.add(form);
    for (const prefix of ['re', 'un', 'pre', 'auto']) rare.add(prefix + verb).add(prefix + pastOf(verb));
  }
  for (const noun of NOUNS) rare.add(noun).add(pluralOf(noun));
  for (const word of ADJECTIVES) rare.add(word).add(`${word}ly`).add(`${word}ness`);
  // Identifiers: what a code base adds to the language, and by far the longest tail.
  while (rare.size < 45_000) {
    const verb = random.pick(VERBS);
    const noun = random.pick(NOUNS);
    const other = random.pick(random.chance(0.4) ? ADJECTIVES : NOUNS);
    switch (random.below(5)) {
      case 0:
        rare.add(verb + capital(noun));
        break;
      case 1:
        rare.add(verb + capital(other) + capital(noun));
        break;
      case 2:
        rare.add(`${other}_${noun}`);
        break;
      case 3:
        rare.add(capital(other) + capital(noun));
        break;
      default:
        rare.add(`${other}-${noun}`);
    }
  }
  const common = new Set(COMMON_ENGLISH);
  return [
    ...COMMON_ENGLISH,
    ...shuffle(
      [...rare].filter((word) => !common.has(word)),
      random,
    ),
  ];
}

function koreanWords(random) {
  const rare = new Set();
  for (const noun of KOREAN_NOUNS) {
    rare.add(noun);
    for (const particle of PARTICLES) rare.add(noun + particle);
    for (const ending of KOREAN_ENDINGS) rare.add(noun + ending);
  }
  while (rare.size < 25_000) {
    const compound = random.pick(KOREAN_NOUNS) + random.pick(KOREAN_NOUNS);
    rare.add(random.chance(0.4) ? compound : compound + random.pick(PARTICLES));
  }
  const common = new Set(COMMON_KOREAN);
  return [
    ...COMMON_KOREAN,
    ...shuffle(
      [...rare].filter((word) => !common.has(word)),
      random,
    ),
  ];
}

/** Draws words so that the word of rank r comes up about 1/r as often as the first (Zipf, exponent 1). */
function zipf(words, random) {
  const cumulative = new Float64Array(words.length);
  let sum = 0;
  for (let i = 0; i < words.length; i++) cumulative[i] = sum += 1 / (i + 2.7);
  return (source = random) => {
    const aim = source.next() * sum;
    let low = 0;
    let high = words.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (cumulative[middle] < aim) low = middle + 1;
      else high = middle;
    }
    return words[low];
  };
}

/** `english(random)` and `korean(random)` draw one word each; `identifiers` serve as names of files and functions. */
export function makeVocabulary(seed) {
  const random = makeRandom(seed, 0x766f6361);
  const english = englishWords(random);
  const korean = koreanWords(random);
  return {
    english: zipf(english, random),
    korean: zipf(korean, random),
    nouns: NOUNS,
    verbs: VERBS,
    size: { english: english.length, korean: korean.length },
  };
}
