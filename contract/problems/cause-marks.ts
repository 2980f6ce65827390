/**
 * Rules that replace the variable parts of a failure with marks, so that failures with one cause
 * get the same text (RUN-5). They apply in order, and a later rule doesn't touch what an earlier
 * one replaced: every pattern skips existing marks and none spans one. Lines are short
 * (`LIMITS.messageChars`).
 */
export type MarkRule = readonly [
  pattern: RegExp,
  mark: (found: string, groups: readonly unknown[]) => string,
  needs: RegExp,
];

const MARK = '‹[a-z]+›|';
const START = '(?<![\\p{L}\\p{N}_])';
const END = '(?![\\p{L}\\p{N}_])';
/**
 * `needs`: a cheap test that every line with a match passes, so that the rule isn't tried on the
 * others. Most lines pass few of them.
 */
const rule = (
  needs: RegExp,
  pattern: string,
  mark: string | MarkRule[1],
  flags = 'giu',
): MarkRule => [
  new RegExp(MARK + pattern, flags),
  typeof mark === 'string' ? () => mark : mark,
  needs,
];

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}';
const CLOCK = '\\d{1,2}:\\d\\d(?::\\d\\d(?:[.,]\\d{1,9})?)?(?: ?[AP]M)?';
const MONTH_AND_DAY = new RegExp(`${MONTH} {1,2}\\d`);
const ZONE = '(?: ?(?:Z|UTC|GMT|CES?T|[+-]\\d\\d:?\\d\\d))?';
/** The characters that an unquoted path may contain. */
const STEP = '[^\\s\'"`<>‹›:,;|()\\[\\]{}]';

/**
 * Created on first use, so that code that loads this file without reading a failure (such as a
 * device's worker) doesn't pay for thirty patterns.
 */
export const rules = (): readonly MarkRule[] => (made ??= makeRules());
let made: readonly MarkRule[] | null = null;

const makeRules = (): readonly MarkRule[] => [
  rule(/:\/\//, `${START}[a-z][a-z0-9+.-]{1,20}://[^\\s'"<>‹›]*[^\\s'"<>‹›.,;:)\\]]`, '‹url›'),
  // Several quoted words are a message within the message; one or two are a name.
  rule(
    /["'`]/,
    `(?<![\\p{L}\\p{N}_])(["'\`])((?:(?!\\1)[^‹›]){1,200})\\1${END}`,
    (found, [, inner]) => quoted(found, String(inner)),
  ),
  rule(/[“„«]/, '[“„«]([^“”«»‹›]{1,200})[”“»]', (found, [inner]) => quoted(found, String(inner))),
  rule(/</, '<([^<>‹›\\s]{1,200})>', '‹id›'),
  rule(
    /@/,
    `(?<![\\p{L}\\p{N}_.+-])[\\p{L}\\p{N}_.+-]{1,64}@[\\p{L}\\p{N}-]{1,63}(?:\\.[\\p{L}\\p{N}-]{1,63})+${END}(?![:/])`,
    '‹mail›',
  ),
  rule(/[0-9a-f]{8}-/i, `${START}[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}${END}`, '‹id›'),
  // ---- addresses
  rule(/(?:[0-9a-f]{2}[:-]){5}/i, `${START}(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}${END}`, '‹host›'),
  rule(
    /::|[0-9a-f]:[0-9a-f]{1,4}:/i,
    '(?<![\\p{L}\\p{N}_:])\\[?(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6}|(?:[0-9a-f]{1,4}:){1,7}:|::(?:[0-9a-f]{1,4}:){0,6}[0-9a-f]{1,4})(?:%\\w+)?(?:\\](?::\\d+)?)?(?![\\p{L}\\p{N}_:])',
    '‹host›',
  ),
  rule(
    /\d\.\d/,
    `(?<![\\p{L}\\p{N}_.])\\d{1,3}(?:\\.\\d{1,3}){3}(?:/\\d{1,2}|:\\d{1,5}(?!/))?${END}(?!:/)`,
    '‹host›',
  ),
  // ---- times
  rule(
    /\d{4}[-/]\d/,
    `${START}\\d{4}[-/]\\d\\d?[-/]\\d\\d?(?:[T ,_]{1,2}(?:\\d\\d:\\d\\d(?::\\d\\d(?:[.,]\\d{1,9})?)?|\\d{6})${ZONE})?${END}`,
    '‹time›',
  ),
  rule(
    /[-/. ]\d{4}/,
    `${START}\\d{1,2}[-/. ](?:\\d{1,2}|${MONTH})[-/. ]\\d{4}(?:,? (?:at )?${CLOCK}${ZONE})?${END}(?!\\.\\d)`,
    '‹time›',
  ),
  rule(
    MONTH_AND_DAY,
    `${START}(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?${MONTH} {1,2}\\d{1,2}(?:,? \\d{4})?(?: ${CLOCK})?(?: ?[A-Z]{3,4})?(?: \\d{4})?${END}`,
    '‹time›',
    'gu',
  ),
  rule(/\d:\d\d/, `(?<![\\p{L}\\p{N}_.:])${CLOCK}${ZONE}${END}(?!:[0-9a-f])`, '‹time›'),
  // ---- paths
  rule(
    /:[\\/]/,
    `${START}[a-z]:(?:\\\\[^\\\\/:*?"<>|‹›]{1,100}(?=\\\\))*[\\\\/]${STEP}*`,
    '‹path›',
  ),
  rule(/\\\\/, `(?<![\\p{L}\\p{N}_\\\\])\\\\\\\\[^\\s"'<>‹›:,;]+`, '‹path›'),
  rule(
    / \//,
    '(?<=\\b(?:open|stat|lstat|read|readdir|readdirnames|readlink|write|create|mkdir|remove|unlink|rename|chmod|chown|sync|close|truncate|scandir|opendir|listxattr|scan|archival) )/[^‹›\'"]{1,300}?(?=: |$)',
    '‹path›',
  ),
  rule(/:[~/]/, `(?<![\\p{L}\\p{N}_.~/])[\\p{L}\\p{N}_.@-]{1,100}:[~/]${STEP}+`, '‹path›'),
  rule(/\//, `(?<![\\p{L}\\p{N}_/›])(?:~|\\.{1,2})?/${STEP}+`, '‹path›'),
  rule(
    /\//,
    `(?<![\\p{L}\\p{N}_.@%+=~-])[\\p{L}\\p{N}_.@%+=~-]+(?:/[\\p{L}\\p{N}_.@%+=~-]+)+/?`,
    (found) => (SLASHED.test(found) ? found : '‹path›'),
  ),
  // ---- amounts
  rule(
    /[\d.,]\s?[kmgtpeb]/iu,
    `${START}\\d[\\d.,]{0,30}\\s?(?:[kmgtpe]i?b(?:/s|ps)?|bytes?|b/s|[kmgtpe])${END}`,
    '‹size›',
  ),
  rule(/\d[nµumshd]/, `${START}(?:\\d+(?:\\.\\d+)?(?:ns|µs|us|ms|s|m|h|d))+${END}`, '‹time›', 'gu'),
  rule(
    /\d\s?[mshdw]/iu,
    `${START}\\d+(?:[.,]\\d+)?\\s?(?:milliseconds?|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?)${END}`,
    '‹time›',
  ),
  // ---- ids
  rule(/0x/i, `${START}0x[0-9a-f]+${END}`, (found) =>
    /^0x[89a-f][0-9a-f]{7}$/i.test(found) ? found : '‹id›',
  ),
  rule(/[0-9a-f]{7}/i, `${START}(?=[0-9a-f]*\\d)(?=\\d*[a-f])[0-9a-f]{7,}${END}`, '‹id›'),
  rule(
    /[\w+=-]{24}/iu,
    `(?<![\\w+=-])(?=[\\w+=-]*\\d)(?=[\\w+=-]*[a-z])[\\w+=-]{24,}${END}`,
    '‹id›',
  ),
  // ---- hosts and names
  rule(
    /lookup|host|connect/i,
    '(?<=\\b(?:lookup|hostname:?|resolve host:?|connect to host|connect to server|connect to|connecting to|connection to) )(?!(?:the|a|an|any|remote|server|host|repository|database|socket|agent)\\b)[\\p{L}\\p{N}_.-]{1,253}(?::\\d{1,5})?',
    '‹host›',
  ),
  rule(
    /Processing/,
    `(?<=\\bProcessing )[^‹›:]{1,100}?(?= (?:Error|Warning|Failed)\\b)`,
    '‹name›',
    'gu',
  ),
  rule(
    /@/,
    `(?<![\\p{L}\\p{N}_.-])[\\p{L}\\p{N}_.-]{1,64}@[\\p{L}\\p{N}_.-]{1,253}(?::\\d+)?`,
    '‹host›',
  ),
  rule(
    /[\p{L}\p{N}_-]\.[\p{L}\p{N}_-]/u,
    `(?<![\\p{L}\\p{N}_-])[\\p{L}\\p{N}_-]+(?:\\.[\\p{L}\\p{N}_-]+){1,30}(?::\\d{1,6})?${END}`,
    dotted,
  ),
  rule(
    /\p{N}/u,
    `(?<![\\p{L}\\p{N}_-])(?=[\\p{L}_-]*\\p{N})(?=[\\p{N}_-]*\\p{L})[\\p{L}\\p{N}_-]*[\\p{L}\\p{N}_]${END}`,
    (found) => (isWord(found) ? found : '‹name›'),
  ),
  // A number that identifies the failure stays: HTTP 503 is a different cause than HTTP 403.
  rule(
    /\p{N}/u,
    '(?<![\\p{L}\\p{N}_]|\\p{L}-|\\b(?:http|https|http/\\d\\.\\d|status|code|errno|sqlstate|rc|signal)[ :=(#]{0,3}-?)[+-]?\\p{N}+(?:[.,]\\p{N}+)*%?(?![\\p{L}\\p{N}_])',
    '‹n›',
  ),
];

const SLASHED =
  /^(?:i\/o|input\/output|read\/write|and\/or|n\/a|tcp\/ip|ssl\/tls|client\/server|on\/off|http\/\d(?:\.\d)?|yes\/no|create\/acquire|files?\/(?:folders?|director(?:y|ies))|director(?:y|ies)\/files?|user(?:name)?\/password|send\/receive|open\/close|start\/stop)$/i;

function quoted(found: string, inner: string): string {
  if (/[/\\]/.test(inner) && !/\s\S+\s\S+\s/.test(inner)) return '‹path›';
  return /^\p{L}[\p{L}']*(?: [\p{L}',:]+){2,}/u.test(inner.trim()) ? found : '‹name›';
}

const FILE =
  /\.(?:conf|cfg|ini|txt|log|jpe?g|png|gif|svg|pdf|docx?|xlsx?|pptx?|zip|gz|tar|tgz|bz2|xz|zst|7z|rar|sql|db|sqlite|mdb|edb|ldf|mdf|vbk|vib|vrb|vbm|vmdk|vmx|vmsd|vhdx?|avhdx?|qcow2|img|iso|bak|tmp|dat|bin|exe|dll|sys|so|sh|py|go|c|cpp|h|js|ts|json|xml|ya?ml|toml|csv|html?|lock|pack|idx|mp[34]|mov|avi|mkv|eml|pst|ost|msg|key|pem|crt|md|bat|ps1|lnk|old|new|part|swp)(?::\d+)?$/i;

function dotted(found: string): string {
  if (/^[\d.]+$/.test(found)) return '‹n›';
  if (FILE.test(found)) return '‹path›';
  // Names of a program's own components (System.IO.IOException), and sentences without a space
  // after the period, count as words.
  if (
    /(?:Exception|Error)$/.test(found) ||
    /\.\p{Lu}\p{Ll}+$/u.test(found) ||
    /\.\p{L}$/u.test(found)
  )
    return /\p{N}/u.test(found) ? '‹name›' : found;
  return '‹host›';
}

const TECHNICAL = new Set(
  (
    'sha1 sha256 sha512 md5 crc32 aes128 aes256 utf8 utf16 ext2 ext3 ext4 s3 b2 x86 x64 i386 i686 amd64 arm64 http2 h2 ipv4 ipv6 smb1 smb2 smb3 ' +
    'nfs3 nfs4 nfsv3 nfsv4 v1 v2 v3 v4 v5 v8 v9 office365 m365 o365 win32 win64 base64 tls1 ssl3 sqlite3 python3 lz4 bz2 oauth2 argon2 blake2 log4j'
  ).split(' '),
);

function isWord(found: string): boolean {
  if (/^0x[89a-f][0-9a-f]{7}$/i.test(found)) return true;
  const bare = found.toLowerCase().replace(/[-_]/g, '');
  return TECHNICAL.has(bare) || /^(?:ora\d{4,5}|aadsts\d{5,7})$/.test(bare);
}
