/**
 * Secrets that are known by what stands around them: headers, webhooks, parts of URLs and files of credentials.
 * Data only; the name of a setting before `=` or `:` is the work of the assignment rule.
 */
import { ALNUM_TEXT, alnumAnd, BASE64, BASE64URL, BEARER } from './characters.js';
import { hasDigit, isFiller, isPlaceholder, isScrambled } from './innocent-value.js';
import { isNameLike } from './name-like.js';
import type { PatternShape } from './pattern-rule.js';

/** The first three Base64 digits of a number in ASCII: how a Discord bot token begins; the fourth is in `follow`. */
const DISCORD_STARTS: readonly string[] = [...'MNO'].flatMap((first) =>
  [...'DTjz'].flatMap((second) => [...'AEIMQUYcgk'].map((third) => first + second + third)),
);

export const CONTEXT_PATTERNS: readonly PatternShape[] = [
  {
    name: 'authorization',
    description: 'Value of an Authorization header',
    anchors: ['authorization'],
    ignoreCase: true,
    pattern:
      /(authorization\\{0,4}["'`]?\]?[ \t]{0,8}(?::|=>?|,|%3A)[ \t]{0,8}\\{0,4}["'`]?(?:(?:bearer|basic|token|apikey|api-key|digest|negotiate|splunk|genie-?key|bot|key|sso-key|pat)(?:[ \t]{1,8}|\+|%20))?(?:token=)?\\{0,4}["']?)([^\s"'`\\,;<>(){}$&|[\]]{8,64})/iy,
    accept: (secret) => !isPlaceholder(secret) && (hasDigit(secret) || isScrambled(secret)) && !isNameLike(secret),
    body: BEARER,
    max: 700,
  },
  {
    name: 'bearer-token',
    description: 'Bearer token outside of a header',
    anchors: ['bearer'],
    ignoreCase: true,
    pattern:
      /(bearer(?:[ \t]{1,8}|\+|%20|\\{0,4}["'][ \t]{0,4}[,:+][ \t]{0,4}\\{0,4}["']))([A-Za-z0-9._~+/=-]{12,256})/iy,
    accept: (secret) => !isPlaceholder(secret) && !isNameLike(secret) && isScrambled(secret),
    body: BEARER,
    max: 700,
  },
  {
    name: 'basic-auth',
    description: 'Basic credentials outside of a header',
    anchors: ['basic'],
    ignoreCase: true,
    pattern: /((?<![A-Za-z0-9])basic(?:[ \t]{1,8}|%20))([A-Za-z0-9+/]{10,256}={0,2})(?![A-Za-z0-9_.-])/iy,
    accept: (secret) => !isFiller(secret) && isBasicPair(secret),
    body: BASE64,
    max: 200,
  },
  {
    name: 'slack-webhook',
    description: 'Slack webhook',
    anchors: ['hooks.slack.com/'],
    pattern: /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)([A-Za-z0-9_/-]{16,256})/y,
    body: alnumAnd('_/-'),
    max: 60,
  },
  {
    name: 'teams-webhook',
    description: 'Microsoft Teams webhook',
    anchors: ['webhook.office.com/'],
    pattern: /(webhook\.office\.com\/webhookb2\/)([A-Za-z0-9@/-]{40,256})/y,
    body: alnumAnd('@/-'),
    max: 200,
  },
  {
    name: 'discord-webhook',
    description: 'Discord webhook',
    anchors: ['/api/webhooks/'],
    pattern: /(\/api\/webhooks\/\d{15,22}\/)([\w-]{40,256})/y,
    body: BASE64URL,
    max: 68,
  },
  {
    name: 'discord-token',
    description: 'Discord bot token',
    anchors: DISCORD_STARTS,
    follow: 'wxyz012345',
    pattern: /((?<![A-Za-z0-9]))(\w{22,28}\.[\w-]{6}\.[\w-]{25,64})/y,
    accept: (secret) => isScrambled(secret.slice(-25)),
    cut: /(?<![A-Za-z0-9_.-])(?:\w{22,28}(?:\.[\w-]{1,6}(?:\.[\w-]{0,24})?)?|\w{12,21})/y,
    body: alnumAnd('_-.'),
    min: 56,
    max: 74,
  },
  {
    name: 'telegram-token',
    description: 'Telegram bot token',
    anchors: [':AA'],
    follow: `${ALNUM_TEXT}_-`,
    pattern: /((?<=(?<![A-Za-z0-9])(?:bot)?\d{8,10}))(:AA[\w-]{31,40})/y,
    cut: /(?<=(?<![A-Za-z0-9])(?:bot)?\d{8,10}):AA[\w-]{2,30}/y,
    body: BASE64URL,
    min: 34,
    max: 36,
    before: alnumAnd(''),
  },
  {
    name: 'aws-secret-key',
    description: 'AWS secret access key beside its key id',
    anchors: ['AKIA', 'ASIA'],
    pattern: /((?:AKIA|ASIA)[A-Z0-9]{16}(?:\\{1,4}[nrt]|[\s,:;|"'/\\]){1,12})([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])/y,
    accept: (secret) => isScrambled(secret),
  },
  {
    name: 'oracle-password',
    description: 'Password in an Oracle JDBC address',
    anchors: ['oracle:thin:', 'oracle:oci:'],
    pattern: /(oracle:(?:thin|oci):[\w$]{1,64}\/)([^\s"'`@/]{4,128})(?=@)/y,
    accept: (secret) => !isPlaceholder(secret),
  },
  {
    name: 'gcp-key-id',
    description: 'Id of the key in a Google service account file',
    anchors: ['private_key_id'],
    pattern: /(private_key_id\\{0,8}["']?[ \t]{0,8}[:=][ \t]{0,8}\\{0,8}["']?)([0-9a-f]{40})(?![0-9a-f])/y,
  },
  {
    name: 'azure-secret',
    description: 'Azure client secret, storage key or shared access signature',
    anchors: ['7Q~', '8Q~'],
    follow: `${ALNUM_TEXT}_-~.`,
    pattern: /((?<=[\w~.-]{3}))([78]Q~[\w~.-]{31,34})(?![\w~-])/y,
    cut: /(?<=[\w~.-]{3})[78]Q~[\w~.-]{4,33}/y,
    body: alnumAnd('_~.-'),
    min: 34,
    max: 37,
    before: alnumAnd('_~.-'),
    maxBefore: 3,
  },
  {
    name: 'azure-key',
    description: 'Account or shared access key of a connection string',
    anchors: ['accountkey=', 'sharedaccesskey=', 'sharedsecret='],
    ignoreCase: true,
    pattern: /((?:accountkey|sharedaccesskey|sharedsecret)=)([A-Za-z0-9+/=%]{16,256})/iy,
    body: BASE64,
    max: 90,
  },
  {
    name: 'signed-url',
    description: 'Signature of a signed URL (SAS, S3, GCS)',
    anchors: ['sig=', 'signature='],
    ignoreCase: true,
    pattern: /((?<=[?&;]|%3F|%26|u0026|amp;|X-Amz-|X-Goog-)(?:sig|signature)=)([A-Za-z0-9+/=%_-]{20,256})/iy,
    accept: (secret) => isScrambled(secret),
    body: alnumAnd('+/=%_-'),
    max: 512,
  },
  {
    name: 'terraform-token',
    description: 'Terraform Cloud token (….atlasv1.…)',
    anchors: ['atlasv1.'],
    pattern: /((?<=[A-Za-z0-9]{10,20}\.))(atlasv1\.[\w-]{40,256})/y,
    cut: /(?<=[A-Za-z0-9]{10,20}\.)atlasv1\.[\w-]{4,39}/y,
    body: BASE64URL,
    min: 48,
    max: 80,
    before: alnumAnd('.'),
  },
  {
    name: 'password-hash',
    description: 'Password hash of htpasswd or shadow (bcrypt, apr1, crypt, argon2)',
    anchors: ['$2a$', '$2b$', '$2y$', '$apr1$', '$argon2', '$5$', '$6$', '$y$', '$1$'],
    follow: `${ALNUM_TEXT}./`,
    pattern:
      /()(\$(?:2[aby]\$\d\d\$[A-Za-z0-9./]{53}|apr1\$[A-Za-z0-9./]{1,8}\$[A-Za-z0-9./]{22}|argon2\w{1,2}\$[A-Za-z0-9=,$+/]{40,200}|[56]\$(?:rounds=\d{1,9}\$)?[A-Za-z0-9./]{1,16}\$[A-Za-z0-9./]{43,86}|1\$[A-Za-z0-9./]{1,8}\$[A-Za-z0-9./]{22}|y\$[A-Za-z0-9./]{1,8}\$[A-Za-z0-9./]{4,64}\$[A-Za-z0-9./]{43}))/y,
    cut: /\$(?:2[aby]\$\d\d|apr1|[56])\$[A-Za-z0-9./$]{4,80}/y,
    body: alnumAnd('./$'),
    min: 36,
    max: 120,
  },
  {
    name: 'pgpass',
    description: 'Line of a .pgpass file',
    anchors: [':5432:', ':5433:', ':6432:', ':*:'],
    follow: `${ALNUM_TEXT}*_`,
    pattern:
      /((?<=(?:^|[\s"'`+]|\\n|\[[0-9;]{0,12}m)[A-Za-z0-9.*_-]{1,120}):(?:\d{4}|\*):[\w*.-]{1,64}:[\w*.@-]{1,64}:)([^\s"'`\\:]{4,256})/y,
    accept: (secret) => !isPlaceholder(secret),
  },
  {
    name: 'mailgun-private-key',
    description: 'Mailgun API key of the newer form',
    anchors: ['mailgun'],
    ignoreCase: true,
    pattern: /(mailgun[^\n]{0,60}?(?<![0-9a-f]))([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})(?![0-9a-f])/iy,
  },
  {
    name: 'command-password',
    description: 'Password on a command line (curl -u user:password, sshpass -p, mysql -p, docker login -p)',
    anchors: ['curl ', '--user', 'sshpass ', 'mysql', 'wget ', 'login ', 'ldap'],
    pattern:
      /((?:(?:curl|wget)[^\n|;]{0,300}?[ \t]-u[ \t]{0,4}|--user(?:=|[ \t]{1,4}))\\{0,4}["']?[\w.@+-]{1,64}:(?!\/\/)|sshpass[ \t]{1,4}-p[ \t]{0,4}\\{0,4}["']?|mysql\w{0,8}[ \t](?:[^\n|;]{0,200}?[ \t])?-p(?=\S)\\{0,4}["']?|login[ \t](?:[^\n|;]{0,200}?[ \t])?-p[ \t]{1,4}\\{0,4}["']?|ldap\w{1,10}[ \t](?:[^\n|;]{0,200}?[ \t])?-w[ \t]{1,4}\\{0,4}["']?)([^\s"'`\\<>$|;]{4,256})/y,
    accept: (secret) =>
      !isPlaceholder(secret) && (hasDigit(secret) || !isNameLike(secret)) && !/^\d{1,5}(?:[/:]|$)/.test(secret),
  },
];

const BASE64_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Whether Base64 text holds `user:password`: printable, with a colon in it. */
function isBasicPair(secret: string): boolean {
  let bits = 0;
  let held = 0;
  let colon = false;
  for (const digit of secret.slice(0, 512)) {
    if (digit === '=') break;
    bits = ((bits << 6) | BASE64_DIGITS.indexOf(digit)) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    const byte = (bits >> held) & 0xff;
    if (byte < 0x20 || byte === 0x7f) return false;
    if (byte === 0x3a) colon = true;
  }
  return colon;
}
