/**
 * Fakes of every kind of secret, made at run time from parts, so that no scanner of this repository takes one for
 * real. The generator is seeded: the same fakes in every run.
 */
const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const HEX = '0123456789abcdef';
const ALNUM = DIGITS + LOWER + UPPER;
const URL_SAFE = `${ALNUM}_-`;
const BASE64 = `${ALNUM}+/`;

function makeRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export type Draw = (length: number, from?: string) => string;

/** Draws mixed text: digits, small and capital letters are all in it when there is room. */
export function makeDraw(seed: number): Draw {
  const random = makeRandom(seed);
  return (length, from = ALNUM) => {
    const drawn = Array.from({ length }, () => from[random(from.length)] ?? '');
    if (from.includes('a') && from.includes('Z') && length >= 6) {
      drawn[1] = LOWER[random(26)] ?? '';
      drawn[3] = UPPER[random(26)] ?? '';
      drawn[4] = DIGITS[random(10)] ?? '';
      drawn[0] = LOWER[random(26)] ?? '';
      drawn[length - 1] = DIGITS[random(10)] ?? '';
    }
    return drawn.join('');
  };
}

export interface FakeSecret {
  readonly kind: string;
  /** What must be gone. */
  readonly secret: string;
  /** The secret as it stands in a line of text, with what gives it away. */
  readonly line: string;
  /** The secret is known by itself, wherever it stands. */
  readonly bare: boolean;
  /** The secret has a known form, so that a line break in it does not hide it. */
  readonly wraps: boolean;
}

function pem(draw: Draw, label: string): string {
  const lines = [64, 64, 64, 28].map((length) => draw(length, BASE64));
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join('\n');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

export function fakeSecrets(seed = 7): readonly FakeSecret[] {
  const draw = makeDraw(seed);
  const fakes: FakeSecret[] = [];
  const token = (kind: string, secret: string, lead = 'see '): void => {
    fakes.push({ kind, secret, line: `${lead}${secret}`, bare: true, wraps: !/\s/.test(secret) });
  };
  const inContext = (kind: string, secret: string, before: string, after = ''): void => {
    fakes.push({ kind, secret, line: `${before}${secret}${after}`, bare: false, wraps: false });
  };

  token('openai legacy', `sk-${draw(48)}`);
  token('openai project', `sk-${'proj'}-${draw(74, URL_SAFE)}`);
  token('openai service account', `sk-${'svcacct'}-${draw(60, URL_SAFE)}`);
  token('openai admin', `sk-${'admin'}-${draw(60, URL_SAFE)}`);
  token('anthropic', `sk-${'ant'}-api03-${draw(93, URL_SAFE)}AA`);
  for (const letter of 'pousr') token(`github gh${letter}_`, `gh${letter}_${draw(36)}`);
  token('github fine-grained', `github_${'pat'}_${draw(22)}_${draw(59)}`);
  token('gitlab', `gl${'pat'}-${draw(20, URL_SAFE)}`);
  token('gitlab deploy', `gl${'dt'}-${draw(20, URL_SAFE)}`);
  token('google', `AI${'za'}${draw(35, URL_SAFE)}`);
  token(
    'jwt',
    `${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url(`{"sub":"${draw(20)}","iat":1516239022}`)}.${draw(43, URL_SAFE)}`,
  );
  token('pem rsa', pem(draw, `RSA PRIVATE ${'KEY'}`), '');
  token('pem pkcs8', pem(draw, `PRIVATE ${'KEY'}`), '');
  token('pem encrypted', pem(draw, `ENCRYPTED PRIVATE ${'KEY'}`), '');
  token('ssh private', pem(draw, `OPENSSH PRIVATE ${'KEY'}`), '');
  token('slack bot', `xox${'b'}-${draw(12, DIGITS)}-${draw(12, DIGITS)}-${draw(24)}`);
  token('slack app', `xa${'pp'}-1-A${draw(10, UPPER + DIGITS)}-${draw(13, DIGITS)}-${draw(64, HEX)}`);
  token('stripe live', `sk_${'live'}_${draw(24)}`);
  token('stripe restricted', `rk_${'live'}_${draw(24)}`);
  token('stripe webhook', `wh${'sec'}_${draw(32)}`);
  token('npm', `np${'m'}_${draw(36)}`);
  token('pypi', `py${'pi'}-AgEIcHlwaS5vcmc${draw(120, URL_SAFE)}`);
  token('hugging face', `h${'f'}_${draw(34)}`);
  token('sendgrid', `S${'G'}.${draw(22, URL_SAFE)}.${draw(43, URL_SAFE)}`);
  token('telegram', `${draw(9, '123456789')}:AA${draw(33, URL_SAFE)}`);
  token('discord bot', `${base64url(draw(19, `1${DIGITS}`))}.${draw(6)}.${draw(38, URL_SAFE)}`);
  token('digitalocean', `do${'p'}_v1_${draw(64, HEX)}`);
  token('aws key id', `AK${'IA'}${draw(16, `${UPPER}234567`)}`);
  token('databricks', `da${'pi'}${draw(32, HEX)}`);
  token('linear', `li${'n'}_api_${draw(40)}`);
  token('groq', `gs${'k'}_${draw(52)}`);
  token('xai', `xa${'i'}-${draw(80)}`);
  token('perplexity', `pp${'lx'}-${draw(48)}`);
  token('replicate', `r${'8'}_${draw(37)}`);
  token('vault', `hv${'s'}.${draw(95, URL_SAFE)}`);
  token('docker', `dc${'kr'}_pat_${draw(27, URL_SAFE)}`);
  token('age', `AGE-SECRET-${'KEY'}-1${draw(58, UPPER + DIGITS)}`);
  token('twilio', `S${'K'}${draw(32, HEX)}`);
  token('mailgun', `ke${'y'}-${draw(32, HEX)}`);
  token('shopify', `sh${'pat'}_${draw(32, HEX)}`);
  token('azure client secret', `${draw(3)}8${'Q'}~${draw(34, `${ALNUM}_-~`)}`);
  token('cloudflare origin', `v1.${'0'}-${draw(24, HEX)}-${draw(146, HEX)}`);
  token('terraform', `${draw(14)}.atlas${'v1'}.${draw(60)}`);
  token('sentry auth', `sntr${'ys'}_${draw(80)}`);
  token('grafana', `gl${'sa'}_${draw(32)}_${draw(8, HEX)}`);
  token('bcrypt', `$2${'y'}$10$${draw(53, `${ALNUM}./`)}`);
  token('base64 of a key', base64(pem(draw, `RSA PRIVATE ${'KEY'}`)));

  inContext(
    'slack webhook',
    `T${draw(8, UPPER + DIGITS)}/B${draw(8, UPPER + DIGITS)}/${draw(24)}`,
    'https://hooks.slack.com/services/',
  );
  inContext('discord webhook', draw(68, URL_SAFE), 'https://discord.com/api/webhooks/123456789012345678/');
  inContext('bearer header', draw(40, URL_SAFE), 'Authorization: Bearer ');
  inContext('bearer alone', draw(40, URL_SAFE), 'with bearer ');
  inContext('basic header', base64(`user:${draw(14)}`), 'Authorization: Basic ');
  inContext('https password', draw(16), 'https://user:', '@example.com/path');
  inContext('git remote', draw(30), 'https://oauth2:', '@git.example.com/team/app.git');
  inContext('postgres', draw(16), 'postgres://app:', '@db.internal:5432/app');
  inContext('mysql', draw(16), 'mysql://app:', '@db.internal/app');
  inContext('mongodb+srv', draw(16), 'mongodb+srv://app:', '@cluster0.mongodb.net/?retryWrites=true');
  inContext('redis', draw(24), 'redis://:', '@cache:6379/0');
  inContext('amqp', draw(16), 'amqps://app:', '@mq.example.com/vhost');
  inContext('mssql', draw(16), 'Server=tcp:db,1433;User ID=sa;Password=', ';Encrypt=true');
  inContext('jdbc', draw(16), 'jdbc:postgresql://db/app?user=app&password=', '&ssl=true');
  inContext('jdbc oracle', draw(16), 'jdbc:oracle:thin:scott/', '@//db:1521/x');
  inContext('rails secret', draw(64, HEX), 'SECRET_KEY_BASE=');
  inContext('aws pair', draw(40, BASE64), `AK${'IA'}${draw(16, UPPER)},`);
  inContext('url with @', `p@${draw(12)}`, 'https://user:', '@example.com/');
  inContext('sentry dsn', draw(32, HEX), 'https://', '@o12345.ingest.sentry.io/67890');
  inContext(
    'azure account key',
    `${draw(86, BASE64)}==`,
    'DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=',
    ';EndpointSuffix=core.windows.net',
  );
  inContext('azure sas', `${draw(43)}%3D`, 'https://acct.blob.core.windows.net/c/b?sv=2022-11-02&sr=b&sig=');
  inContext('aws secret', draw(40, BASE64), 'aws_secret_access_key = ');
  inContext('env api key', draw(32), 'MY_SERVICE_API_KEY=');
  inContext('env key', draw(32), 'SOMETHING_KEY=');
  inContext('env token', draw(24), 'DEPLOY_TOKEN=');
  inContext('env secret', draw(32, HEX), 'SESSION_SECRET=');
  inContext('env password', draw(12), 'DB_PASSWORD=');
  inContext('env password odd', `${draw(6)}&;)${draw(6)}$x`, 'DB_PASSWD=');
  inContext('env pwd', draw(12), 'MYSQL_PWD=');
  inContext('env credentials', draw(20), 'REGISTRY_CREDENTIALS=');
  inContext('client secret', draw(32), 'client_secret: ');
  inContext('yaml password', draw(12), 'password: ');
  inContext('yaml quoted', `${draw(8)} ${draw(4)}`, "password: '", "'");
  inContext('code', draw(24), 'const apiKey = "', '";');
  inContext('php', draw(16), "'password' => '", "',");
  inContext('xml', draw(12), '<password>', '</password>');
  inContext('flag blank', draw(12), 'tool login --password ', ' --verbose');
  inContext('flag equals', draw(24), 'tool login --token=', ' --verbose');
  inContext('flag -p', draw(12), 'mysql -u root -p', ' app');
  inContext('curl -u', draw(14), 'curl -sS -u admin:', ' https://example.com');
  inContext('netrc', draw(14), 'machine git.example.com login me password ');
  inContext('netrc lines', draw(14), 'machine git.example.com\n  login me\n  password ');
  inContext('pgpass', draw(14), 'db.internal:5432:app:app_user:');
  inContext('cookie-like header', draw(32), 'X-Api-Key: ');
  inContext('npmrc', draw(36), '//registry.example.com/:_authToken=');
  inContext('korean password', draw(12), '비밀번호: ');
  inContext('korean password =', draw(12), '암호=');
  inContext('korean sentence', draw(12), '관리자 비밀번호는 ', ' 입니다.');
  inContext('manifest', draw(16), '- name: DB_PASSWORD\n  value: ');
  inContext('gcp key id', draw(40, HEX), '"private_key_id": "', '"');
  return fakes;
}
