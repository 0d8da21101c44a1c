/**
 * The tokens that their makers gave a prefix. Data only: how a token begins, of what and how long it is.
 */
import { ALNUM, ALNUM_TEXT, alnumAnd, BASE64, BASE64URL, DOTTED, HEX, UPPER_DIGITS } from './characters.js';
import { hasDigit, isScrambled } from './innocent-value.js';
import type { TokenShape } from './token-rule.js';

const LOWER_HEX_TEXT = '0123456789abcdef';

function exactly(length: number): (body: string) => boolean {
  return (body) => body.length === length;
}

/** `--header.payload`: two parts at least, the first a Base64 object. */
function isJwt(body: string): boolean {
  return /^[\w-]{8,}\.[\w-]{6,}/.test(body);
}

/** Capitals, small letters and digits as chance mixes them: no name, no hash. */
function isRandom(body: string): boolean {
  return /[a-z]/.test(body) && /[A-Z]/.test(body) && hasDigit(body) && isScrambled(body);
}

/** Of a prefix that is a word, a body in hexadecimal is enough. */
function isMixed(body: string): boolean {
  return hasDigit(body) && isScrambled(body);
}

/** `sk-` also ends `task-` and `disk-`: what follows must have the length that the makers chose. */
function isGluedOpenAiKey(body: string, prefix: string): boolean {
  return prefix === 'sk-'
    ? /^[A-Za-z0-9]{48}$/.test(body.slice(0, 49)) && isRandom(body)
    : body.length >= 40 && isRandom(body);
}

function isWholeJwt(body: string): boolean {
  return /^[\w-]{8,}\.eyJ[\w-]{6,}/.test(body);
}

function isWholeSendgridKey(body: string): boolean {
  return /^[\w-]{22}\.[\w-]{40,43}/.test(body) && isRandom(body);
}

function each(prefix: string, next: string): readonly string[] {
  return [...next].map((character) => prefix + character);
}

export const SERVICE_TOKENS: readonly TokenShape[] = [
  {
    name: 'anthropic-key',
    description: 'Anthropic API or admin key (sk-ant-)',
    prefixes: ['sk-ant-'],
    body: BASE64URL,
    min: 16,
    max: 130,
    glued: isRandom,
  },
  {
    name: 'openai-key',
    description: 'OpenAI-style API key (sk-, sk-proj-, sk-svcacct-, sk-admin-), also DeepSeek, OpenRouter and others',
    prefixes: ['sk-', 'sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-', 'sk-or-v1-'],
    follow: `${ALNUM_TEXT}_-\r\n\\ \t`,
    body: BASE64URL,
    min: 20,
    max: 180,
    glued: isGluedOpenAiKey,
    accept: (body) => isScrambled(body),
  },
  {
    name: 'github-token',
    description: 'GitHub token (ghp_, gho_, ghu_, ghs_, ghr_)',
    prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    body: ALNUM,
    min: 30,
    max: 36,
    glued: isMixed,
  },
  {
    name: 'github-fine-grained-token',
    description: 'GitHub fine-grained token (github_pat_)',
    prefixes: ['github_pat_'],
    body: alnumAnd('_'),
    min: 40,
    max: 82,
    glued: isMixed,
  },
  {
    name: 'gitlab-token',
    description: 'GitLab token (glpat- and its kin)',
    prefixes: [
      'glpat-',
      'gldt-',
      'glrt-',
      'glptt-',
      'glft-',
      'glimt-',
      'glagent-',
      'glsoat-',
      'glcbt-',
      'gloas-',
      'glffct-',
      'glrtr-',
      'glwt-',
    ],
    body: DOTTED,
    min: 18,
    max: 64,
    glued: isRandom,
  },
  {
    name: 'google-key',
    description: 'Google API key (AIza)',
    prefixes: ['AIza'],
    body: BASE64URL,
    min: 30,
    max: 35,
    glued: isRandom,
  },
  {
    name: 'google-oauth',
    description: 'Google OAuth client secret or access token (GOCSPX-, ya29.)',
    prefixes: ['GOCSPX-', 'ya29.'],
    body: DOTTED,
    min: 20,
    max: 220,
    glued: isRandom,
  },
  {
    name: 'jwt',
    description: 'JSON Web Token',
    prefixes: ['eyJ'],
    follow: ALNUM_TEXT,
    body: DOTTED,
    min: 40,
    max: 700,
    glued: isWholeJwt,
    needs: '.',
    accept: isJwt,
  },
  {
    name: 'aws-key-id',
    description: 'AWS access key id (AKIA, ASIA)',
    prefixes: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    body: UPPER_DIGITS,
    min: 16,
    max: 16,
    glued: (body) => body.length === 16,
    accept: (body) => body.length === 16,
  },
  {
    name: 'slack-token',
    description: 'Slack token (xoxb-, xoxp-, xapp-, …)',
    prefixes: [...each('xox', 'abceoprs').map((prefix) => `${prefix}-`), 'xoxe.xox', 'xapp-'],
    body: DOTTED,
    min: 16,
    max: 180,
    glued: isMixed,
    accept: hasDigit,
  },
  {
    name: 'stripe-key',
    description: 'Stripe secret, restricted or webhook key (sk_live_, rk_live_, whsec_)',
    prefixes: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_', 'sk_org_live_'],
    body: BASE64,
    min: 16,
    max: 110,
    glued: isMixed,
  },
  {
    name: 'npm-token',
    description: 'npm access token (npm_)',
    prefixes: ['npm_'],
    body: ALNUM,
    min: 30,
    max: 36,
    glued: isRandom,
  },
  {
    name: 'pypi-token',
    description: 'PyPI API token (pypi-)',
    prefixes: ['pypi-'],
    body: BASE64URL,
    min: 40,
    max: 220,
    glued: isRandom,
  },
  {
    name: 'huggingface-token',
    description: 'Hugging Face token (hf_, api_org_)',
    prefixes: ['hf_', 'api_org_'],
    follow: `${ALNUM_TEXT}\r\n\\`,
    body: ALNUM,
    min: 30,
    max: 34,
    glued: isRandom,
  },
  {
    name: 'sendgrid-key',
    description: 'SendGrid API key (SG.)',
    prefixes: ['SG.'],
    follow: `${ALNUM_TEXT}_-\r\n\\`,
    body: DOTTED,
    min: 40,
    max: 66,
    glued: isWholeSendgridKey,
    needs: '.',
  },
  {
    name: 'twilio-key',
    description: 'Twilio API key (SK and 32 hex digits)',
    prefixes: each('SK', LOWER_HEX_TEXT),
    follow: LOWER_HEX_TEXT,
    body: HEX,
    min: 31,
    max: 31,
    accept: exactly(31),
  },
  {
    name: 'mailgun-key',
    description: 'Mailgun API key (key-)',
    prefixes: ['key-'],
    body: ALNUM,
    min: 32,
    max: 32,
    accept: exactly(32),
  },
  {
    name: 'shopify-token',
    description: 'Shopify token (shpat_, shpca_, shppa_, shpss_)',
    prefixes: ['shpat_', 'shpca_', 'shppa_', 'shpss_'],
    body: ALNUM,
    min: 28,
    max: 32,
    glued: isMixed,
  },
  {
    name: 'databricks-token',
    description: 'Databricks token (dapi)',
    prefixes: ['dapi'],
    body: alnumAnd('-'),
    min: 32,
    max: 34,
  },
  {
    name: 'linear-key',
    description: 'Linear API key (lin_api_, lin_oauth_)',
    prefixes: ['lin_api_', 'lin_oauth_'],
    body: ALNUM,
    min: 32,
    max: 64,
    glued: isMixed,
  },
  {
    name: 'groq-key',
    description: 'Groq API key (gsk_)',
    prefixes: ['gsk_'],
    body: ALNUM,
    min: 40,
    max: 52,
    glued: isRandom,
  },
  {
    name: 'xai-key',
    description: 'xAI API key (xai-)',
    prefixes: ['xai-'],
    body: ALNUM,
    min: 40,
    max: 80,
    glued: isRandom,
  },
  {
    name: 'perplexity-key',
    description: 'Perplexity API key (pplx-)',
    prefixes: ['pplx-'],
    body: ALNUM,
    min: 32,
    max: 56,
    glued: isRandom,
  },
  {
    name: 'replicate-token',
    description: 'Replicate API token (r8_)',
    prefixes: ['r8_'],
    follow: `${ALNUM_TEXT}\r\n\\`,
    body: ALNUM,
    min: 34,
    max: 37,
    glued: isRandom,
  },
  {
    name: 'vault-token',
    description: 'HashiCorp Vault token (hvs., hvb., hvr.)',
    prefixes: ['hvs.', 'hvb.', 'hvr.'],
    body: BASE64URL,
    min: 20,
    max: 140,
    glued: isRandom,
  },
  {
    name: 'docker-token',
    description: 'Docker Hub token (dckr_pat_, dckr_oat_)',
    prefixes: ['dckr_pat_', 'dckr_oat_'],
    body: BASE64URL,
    min: 20,
    max: 36,
    glued: isRandom,
  },
  {
    name: 'age-key',
    description: 'age secret key',
    prefixes: ['AGE-SECRET-KEY-1'],
    body: UPPER_DIGITS,
    min: 40,
    max: 58,
    glued: isMixed,
  },
  {
    name: 'digitalocean-token',
    description: 'DigitalOcean token (dop_v1_, doo_v1_, dor_v1_)',
    prefixes: ['dop_v1_', 'doo_v1_', 'dor_v1_'],
    body: HEX,
    min: 50,
    max: 64,
    glued: isMixed,
  },
  {
    name: 'cloudflare-key',
    description: 'Cloudflare origin CA key or API token (v1.0-, cfut_, cfat_)',
    prefixes: ['v1.0-', 'cfut_', 'cfat_', 'cfk_'],
    body: BASE64URL,
    min: 36,
    max: 171,
  },
  {
    name: 'sentry-token',
    description: 'Sentry auth token (sntrys_, sntryu_)',
    prefixes: ['sntrys_', 'sntryu_'],
    body: alnumAnd('+/=_-'),
    min: 40,
    max: 400,
    glued: isMixed,
  },
  {
    name: 'grafana-token',
    description: 'Grafana token (glsa_, glc_)',
    prefixes: ['glsa_', 'glc_'],
    body: alnumAnd('+/=_'),
    min: 32,
    max: 140,
    glued: isMixed,
  },
  {
    name: 'notion-token',
    description: 'Notion token (ntn_, secret_)',
    prefixes: ['ntn_'],
    body: ALNUM,
    min: 40,
    max: 46,
    glued: isRandom,
  },
  {
    name: 'figma-token',
    description: 'Figma token (figd_, figo_)',
    prefixes: ['figd_', 'figo_'],
    body: BASE64URL,
    min: 36,
    max: 45,
    glued: isRandom,
  },
  {
    name: 'doppler-token',
    description: 'Doppler token (dp.pt., dp.st.)',
    prefixes: ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.'],
    body: DOTTED,
    min: 36,
    max: 60,
    glued: isRandom,
  },
  {
    name: 'postman-key',
    description: 'Postman API key (PMAK-)',
    prefixes: ['PMAK-'],
    body: alnumAnd('-'),
    min: 50,
    max: 59,
    glued: isMixed,
  },
  {
    name: 'newrelic-key',
    description: 'New Relic key (NRAK-, NRII-)',
    prefixes: ['NRAK-', 'NRII-'],
    body: BASE64URL,
    min: 24,
    max: 32,
    glued: isMixed,
  },
  {
    name: 'atlassian-token',
    description: 'Atlassian API token (ATATT3, ATCTT3)',
    prefixes: ['ATATT3', 'ATCTT3'],
    body: BASE64,
    min: 60,
    max: 210,
    glued: isRandom,
  },
  {
    name: 'supabase-key',
    description: 'Supabase token or secret key (sbp_, sb_secret_)',
    prefixes: ['sbp_', 'sb_secret_'],
    body: BASE64URL,
    min: 28,
    max: 45,
    glued: isMixed,
  },
  {
    name: 'rubygems-key',
    description: 'RubyGems API key',
    prefixes: ['rubygems_'],
    body: HEX,
    min: 40,
    max: 48,
    glued: isMixed,
  },
  {
    name: 'square-token',
    description: 'Square token (sq0atp-, sq0csp-)',
    prefixes: ['sq0atp-', 'sq0csp-'],
    body: BASE64URL,
    min: 20,
    max: 43,
    glued: isRandom,
  },
  {
    name: '1password-token',
    description: '1Password service account token',
    prefixes: ['ops_eyJ'],
    body: BASE64,
    min: 100,
    max: 900,
    glued: isRandom,
  },
];
