/**
 * What two developers of the search set tell each other, half in Korean, half in English, full of file names,
 * commands and versions; questions spell identifiers in another way, or come in the other language.
 */
import { things } from './things.mjs';

const KINDS = [
  {
    name: 'bug',
    lead: [
      'I chased {x} {when}.',
      '{when} {x} 때문에 종일 헤맸어.',
      'CI went red because of {x}, {when}.',
      '{when}에 {x} 재현에 성공했어.',
    ],
    ask: ['What was the cause?', '원인이 뭐였어?', 'Fixed?'],
    single: [
      'What caused the {y} that {who} was debugging?',
      '{who:이/가} 찾은 {y} 원인은?',
      'How did {who} fix the {y}?',
    ],
    temporal: ['When did {who} debug the {y}?', '{who:이/가} {y} 문제를 추적한 날은?'],
    multi: ['Which bugs did {who} look into?', '{who:이/가} 잡은 버그들은?'],
    caption: 'screenshot of a stack trace',
    things: things(`
      \`EMFILE\` in src/watch/file-watcher.ts | file watcher EMFILE error | each rename left one descriptor open, closeSync was never reached
      a deadlock in LockManager.acquire() | lock manager deadlock | 두 잠금을 서로 다른 순서로 잡고 있었어
      \`TypeError: cursor is undefined\` in listThreads | undefined cursor in thread listing | the last page returns null and nobody checked
      UTF-8 깨짐 in csv_export.py | csv export encoding | 1 KiB 경계에서 글자가 반으로 잘렸어
      a leak of 40 MB/h in ws-gateway | websocket gateway memory growth | listeners were added on every reconnect
      \`ERR_REQUIRE_ESM\` with chalk 5.3.0 | ESM error from chalk | importing it lazily in bin/cli.cjs was enough
      the off-by-one in paginate_rows | paginate rows bug | limit + 1 was counted twice when has_more is true
      타임존 오류 in formatLocalDate | local date timezone | TZ=Asia/Seoul에서만 하루가 밀렸어
    `),
  },
  {
    name: 'upgrade',
    lead: [
      'Upgraded {x} {when}.',
      '{when} {x} 올렸어.',
      'I bumped {x} {when}, fingers crossed.',
      '{x} 마이그레이션을 {when} 끝냈어.',
    ],
    ask: ['Anything break?', '깨진 건 없어?', 'Was it worth it?'],
    single: [
      'What broke when {who} upgraded {y}?',
      '{who:이/가} {y} 버전을 올린 뒤 생긴 일은?',
      'What did the update of {y} bring {who}?',
    ],
    temporal: ['When did {who} upgrade {y}?', '{who:이/가} {y} 올린 게 언제야?'],
    multi: ['Which dependencies did {who} upgrade?', '{who:이/가} 버전을 올린 것들은?'],
    caption: 'a terminal with a long diff',
    things: things(`
      better-sqlite3 11.7.2 to 12.1.0 | better sqlite | the prebuilt binary for musl is gone
      vite 6.4.1에서 7.0.0으로 | vite 7.0.0 | splitVendorChunkPlugin이 없어졌어
      tokio 1.38 to 1.40 | tokio | two flaky timers became reliable
      postgres 15.6 → 16.3 | postgres 16 | pg_stat_io 덕분에 느린 인덱스를 찾았어 | Does {who} care about query speed?
      eslint 8.57 to 9.12 | eslint | .eslintrc.cjs had to become eslint.config.js
      \`@types/node\` 20 → 22 | node typings | Buffer is generic there, eighty red lines
    `),
  },
  {
    name: 'config',
    lead: [
      'I changed {x} {when}.',
      '{when} {x} 바꿨어.',
      '{x} is different since {when}.',
      '{x} 설정을 {when} 손봤지.',
    ],
    ask: ['Why?', '왜 바꿨어?', 'To what?'],
    single: [
      'Why did {who} change {y}?',
      '{who:이/가} {y} 설정을 고친 이유는?',
      'Which value did {who} choose for {y}?',
    ],
    temporal: ['When did {who} change {y}?', '{who:은/는} {y} 설정을 언제 고쳤지?'],
    multi: ['Which settings did {who} change?', '{who:이/가} 바꾼 설정은 무엇무엇이야?'],
    caption: 'a yaml file in an editor',
    things: things(`
      \`max_connections\` in pgbouncer.ini | pgbouncer connection limit | 200 was too few once the crawler started
      tsconfig.base.json의 moduleResolution | module resolution of tsconfig | NodeNext로 두어야 .js 확장자를 강제해
      \`WORKER_CONCURRENCY\` in docker-compose.prod.yml | worker concurrency | 4, since the box has two cores and a lot of waiting
      nginx.conf client_max_body_size | nginx body size | 25m, the scans are huge
      .github/workflows/release.yml | release workflow | 태그가 v로 시작할 때만 돌게 했어
      \`retryBackoffMs\` of http-client | retry backoff | 250 doubled five times, with jitter
    `),
  },
  {
    name: 'command',
    lead: [
      'I ran {x} {when}.',
      '{when} {x} 돌려 봤어.',
      'Tried {x} {when} on the staging machine.',
      '{x}, {when}에 처음 써 봤는데 괜찮더라.',
    ],
    ask: ['And?', '결과는?', 'What did it show?'],
    single: [
      'What did {who} see after running {y}?',
      '{who:이/가} {y} 돌린 결과는?',
      'What was the outcome of {y} for {who}?',
    ],
    temporal: ['When did {who} run {y}?', '{who:이/가} {y} 명령을 실행한 때는?'],
    multi: ['Which commands did {who} run?', '{who:이/가} 실행한 명령들은?'],
    caption: 'green text in a dark window',
    things: things(`
      \`git bisect run ./scripts/repro.sh\` | git bisect with repro.sh | it pointed at the commit with the innocent title
      \`cargo flamegraph --bin indexer\` | flamegraph of the indexer | 60 % of it is utf8 validation
      \`kubectl rollout undo deploy/api-edge\` | rollout undo of api-edge | 40초 만에 되돌아갔어
      \`pnpm dedupe --check\` | pnpm dedupe | eleven copies of semver
      \`fsck.ext4 -f /dev/nvme0n1p3\` | file system check | 고아 inode 하나뿐이었어
      \`redis-cli --bigkeys\` | redis bigkeys | session:blob 하나가 900 MB
    `),
  },
  {
    name: 'refactor',
    lead: [
      'I split {x} {when}.',
      '{when} {x} 리팩터링했어.',
      'Rewrote {x} {when}, at last.',
      '{x}, {when}에 드디어 정리했어.',
    ],
    ask: ['How does it look?', '어떻게 나눴어?', 'Smaller?'],
    single: [
      'What did {who} get from rewriting {y}?',
      '{who:이/가} {y} 코드를 어떻게 나눴나?',
      'What is the result of the refactoring of {y} by {who}?',
    ],
    temporal: ['When did {who} refactor {y}?', '{who:이/가} {y} 코드를 정리한 날은?'],
    multi: ['What code did {who} refactor?', '{who:이/가} 정리한 모듈들은?'],
    caption: 'boxes and arrows on a whiteboard',
    things: things(`
      SessionStore.ts | session store | reading and writing are two classes, and the tests halved
      \`parse_frame\` in net/codec.rs | frame parser | no more copies, it borrows from the ring buffer
      useThreadList 훅 | thread list hook | 상태를 reducer 하나로 모았어
      the 900-line billing-service.js | billing service | invoices, taxes and mails live apart
      token_bucket.go | token bucket limiter | 잠금 대신 atomic으로 바꿨어
      \`migrateLegacyUsers()\` | legacy user migration | it is idempotent, run it as often as you like
    `),
  },
  {
    name: 'decision',
    lead: [
      'We decided on {x} {when}.',
      '{when} 회의에서 {x:으로/로} 정했어.',
      'I argued for {x} {when}, and won.',
      '{x} 쓰기로 {when} 결정했어.',
    ],
    ask: ['What convinced them?', '이유는?', 'And the other option?'],
    single: ['Why did {who} choose {y}?', '{who:이/가} {y} 택한 까닭은?', 'What spoke for {y} in the view of {who}?'],
    temporal: ['When did {who} decide on {y}?', '{who:이/가} {y} 쓰기로 한 때는?'],
    multi: ['What did {who} decide on?', '{who:이/가} 내린 결정들은?'],
    caption: 'a table of pros and cons',
    things: things(`
      UUIDv7 for row ids | time-ordered identifiers | they sort by time and the index stays compact
      zstd level 3 | zstd compression | level 9 gained two percent for five times the wait
      gRPC 대신 JSON lines | JSON lines over gRPC | 눈으로 읽고 grep 할 수 있잖아
      trunk-based 개발 | trunk based development | 브랜치가 사흘 넘게 살면 꼭 충돌해
      Playwright over Cypress | Playwright | three browsers and real tabs
      S3-호환 MinIO | MinIO storage | 고객이 데이터를 밖으로 내보낼 수 없대
    `),
  },
];

export const DEVELOPERS = {
  language: 'mixed',
  pairs: [['Sena', 'Marek']],
  kinds: KINDS,
  when: ['yesterday', '어제', 'on Monday', '지난주', 'last night', '월요일', 'two days ago'],
  greet: ['Hey {other}, got a minute?', '{other}, 잠깐 시간 돼?', 'Morning {other}!'],
  greetBack: ['Sure, builds are running anyway.', '응, 커피 마시는 중이야.', 'Hi! What is on your mind?'],
  reply: [
    'Nice catch.',
    '오, 깔끔하네.',
    'Remind me to write that down.',
    '나중에 리뷰해 줄게.',
    'Hm, that bit me once too.',
    '그럴 줄 알았어.',
  ],
  mention: [
    ['Is {y} still an issue?', '아니, 그대로야. Nothing new.'],
    ['네 얘기를 스탠드업에서 또 하더라.', 'They always do.'],
    ['Someone asked about {x} in the channel.', '내가 나중에 답할게.'],
    ['문서에 {y} 항목이 비어 있던데?', 'I know, I know. Next sprint.'],
  ],
  filler: [
    'The office coffee machine shows error 418, I like that.',
    '오늘 배포 금지일인 거 알지?',
    'My laptop fan sounds like a helicopter.',
    '점심에 뭐 먹을까?',
    'The test run takes eleven minutes, time for a walk.',
    '회의가 하나 더 생겼어. 왜?',
    'I renamed a variable and feel productive.',
    '모니터를 하나 더 놓으니 목이 아파.',
    'Who put a TODO from 2017 in the readme?',
    '디스크가 또 꽉 찼다는 알림이 왔어.',
    'Can you look at my pull request today?',
    '주말에는 키보드를 안 만질 거야.',
    'The linter and I do not speak to each other.',
    '새 인턴이 벌써 나보다 단축키를 잘 알아.',
    'Friday, please come.',
    '브랜치 이름을 뭐라고 하지?',
  ],
  bye: ['Back to the build.', '나중에 또 보자, {other}.', 'Ping me when it is merged.', '고마워, {other}!'],
  order: ['What came first for {who}, {y} or {z}?', '{who}에게 {y:과/와} {z} 중 뭐가 먼저였어?'],
  onDate: ['What did {who} work on around {date}?', '{date}쯤 {who:은/는} 무슨 작업을 했나?'],
  date: (at) => at.toISOString().slice(0, 10),
};
