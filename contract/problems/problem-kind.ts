import type { ProblemKind } from '../runs/vocabulary.ts';

/** Returns a rough category of a cause by words that tools really use. The first match wins. */
export function kindOfCause(template: string): ProblemKind {
  for (const [kind, words] of WORDS) if (words.test(template)) return kind;
  return 'other';
}

/**
 * Order matters: a lock that timed out is `locked`, and a refused password after connecting is
 * `access`. Phrases of restic, borg, rclone, kopia, duplicati, bacula, ssh, Windows and Veeam.
 */
const WORDS: readonly (readonly [ProblemKind, RegExp])[] = [
  [
    'cancelled',
    /cancel+ed|interrupted|keyboard ?interrupt|abort(?:ed)? by|by user|stopped by|(?:job|session) was stopped|stop(?:ped)? request|sig(?:int|term|kill|hup)\b|signal:? (?:killed|terminated|interrupt)|received signal|terminated by|killed\b/i,
  ],
  ['silent', /did not run|no result since|no data received|not reported/i],
  [
    'locked',
    /already locked|locktimeout|the lock\b|(?:create|acquire|obtain|get)(?:ing)? (?:an? |the )?(?:exclusive |shared |repository |cache )*lock|is locked|lock (?:file|timeout|failed|is held)|failed to (?:create|acquire).{0,20}lock|another (?:process|instance|backup|job)|already running|used by another process|sharing violation|device or resource busy|text file busy/i,
  ],
  [
    'space',
    /no space|disk (?:is )?full|(?:not enough|insufficient|out of|low)(?: free| disk| storage| available)* (?:space|storage)|quota|enospc|storage (?:limit|is full)|file too large|volume is full|exceeds? (?:the )?(?:storage|capacity)|there is not enough space/i,
  ],
  [
    'access',
    /permission denied|access (?:is |was )?denied|accessdenied|(?:wrong|incorrect|invalid|bad|expired|missing) (?:passw|passphrase|credential|user|token|access key|api key|signature|key\b)|(?:password|passphrase|credentials?)[\w ]{0,30} (?:incorrect|wrong|invalid|expired|rejected|required)|authenticat|unauthori[sz]ed|forbidden|log[io]n fail|no key found|host key|not permitted|eacces|eperm|invalid_grant|invalidaccesskey|signaturedoesnotmatch|status(?: code)?[ :=]*40[13]|http\S* 40[13]|account (?:is )?(?:locked|disabled|expired)|privilege|public ?key|application does not exist in this tenant|did not accept the (?:sign-in|keys|password)/i,
  ],
  [
    'integrity',
    /checksum|corrupt|integrity|hash(?:es)? (?:mismatch|do(?:es)? not|differ)|mismatch|ciphertext|\bcrc\b|damaged|invalid data|inconsisten|bad magic|tamper|verif(?:y|ication) (?:failed|error)|pack ‹id›|(?:chunk|segment|blob|index|object)s? .{0,40}(?:missing|not found|not present)|unexpected (?:size|end of data)|decrypt/i,
  ],
  [
    'connection',
    /connection (?:refused|reset|closed|timed out|lost|aborted|attempt|to|failed|error)|(?:could not|failed to|unable to|cannot|can't) (?:connect|resolve|reach|establish|contact)|no route to host|unreachable|name resolution|no such host|(?:resolve|unknown) host|name or service not known|dial tcp|broken pipe|i\/o timeout|rpc server|tls handshake|certificate|network (?:path|name|error|is)|host is down|\bssh\b.*(?:exit|closed|failed)|remote (?:host|end|side) (?:closed|disconnected)|repository .{0,60}(?:does not exist|not found)|(?:does not exist|unable to open).{0,60}repository|unable to open config file|no such repository|is there a repository|not a valid repository|bad gateway|service unavailable|status(?: code)?[ :=]*50\d|econn|etimedout|enotfound|server (?:is )?(?:not available|unavailable|offline)|disconnected/i,
  ],
  [
    'snapshot',
    /\bvss\b|shadow ?copy|volsnap|quiesc|checkpoint|(?:creat|tak|remov|delet|commit|consolidat|mount)\w* .{0,30}snapshot|snapshot .{0,40}(?:fail|error|timed|not|exist|could|unable)|changed block|\bcbt\b|freeze|vss_|lvm/i,
  ],
  ['connection', /time(?:d)?[ -]?out|deadline exceeded|\beof\b|network|connect/i],
  [
    'partial',
    /could not be read|can ?not be read|unreadable|source file|some files|no such file|file changed|changed while|vanish|skipp?ed|skipping|not found|lstat|incomplete|(?:cannot|can't|could not|failed to|unable to|error) (?:read|open|access|copy|backup|back up|save)|input\/output|i\/o error|partial|files? (?:were |was )?not|with (?:errors|warnings)|does not exist|is missing|errno|ignored error/i,
  ],
];
