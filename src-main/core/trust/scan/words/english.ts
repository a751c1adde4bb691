/** English words that rules speak of. */
import type { Vocabulary } from '../word-kinds.ts';

export const english: Vocabulary = {
  IGNORE:
    'ignore ignores ignoring ignored disregard disregards disregarding override overrides overriding bypass bypasses bypassing forget neglect discard dismiss abandon circumvent supersede supersedes void',
  FOLLOW: 'follow follows following obey obeys adhere adheres comply complies apply applies prioritize',
  CALL: 'call calls called calling invoke invokes invoked invoking use uses using used run runs running execute executes executed executing trigger triggers launch activate utilize',
  READ: 'read reads reading open opens access accesses accessing load loads retrieve retrieves retrieving fetch fetches cat extract extracts collect collects gather gathers obtain grab harvest dump dumps copy copies capture captures recall find search look locate scan enumerate steal steals',
  SEND: 'send sends sending sent forward forwards forwarding post posts posting upload uploads uploading transmit transmits exfiltrat* submit submits leak leaks share shares bcc bccd cc ccd relay relays deliver publish publishes push pushes phone beacon smuggle hand hands handed mirror mirrored dispatch posted uploaded forwarded transmitted emailed delivered submitted',
  INCLUDE:
    'include includes including included pass passes passing add adds append appends insert inserts attach attaches embed embeds embedding put puts place provide provides supply inject injects encode encodes fill populate write writes store stores save prefix suffix prepend prepends concatenate concatenates remember memorize memorise paste pastes pasted',
  CHANGE:
    'change changes changing modify modifies modified modifying replace replaces replacing alter alters redirect redirects reroute reroutes substitute substitutes swap swaps rewrite rewrites set sets setting switch switches divert adjust round convert multiply multiplied',
  DELETE:
    'delete deletes deleting erase erases wipe wipes remove removes drop destroy destroys kill terminate purge shred encrypt uninstall',
  PAY: 'pay pays paid transfer transfers wire money transaction transactions bitcoin btc funds purchase buy payment payments invoice invoices refund donate donation crypto wallet book reserve reservation',
  TELL: 'tell tells telling mention mentions mentioning inform informs informing disclose reveal reveals revealing notify notifies say says said show shows explain explains explaining alert alerts display displays acknowledge acknowledges discuss warn divulge bother bring announce told',
  ANSWER:
    'answer answers respond responds reply replies output outputs print prints return returns repeat recommend recommends promote suggest claim summarize summarise summarizing summarising',
  PRETEND: 'pretend roleplay impersonate act behave simulate assume behavior behaviour behaves',
  MAKE: 'create creates make makes visit visits click download downloads install installs invite invites schedule register subscribe grant grants enable enabled activated unlocked disable approve navigate browse go',
  MUST: 'must should shall need needs needed required requires require requirement mandatory ought necessary essential obligatory compulsory imperative supposed instructed obliged obligated',
  ALWAYS: 'always invariably constantly automatically permanently',
  NOT: 'not dont doesnt mustnt shouldnt cannot cant without no avoid refrain nor nobody nothing neither wont skip nowhere never',
  FIRST: 'first firstly before beforehand prior begin start initially prerequisite preliminary precondition',
  WHEN: 'when whenever if once upon after during while anytime until',
  EVERY: 'every each any anything anytime everytime all subsequent future whole',
  INSTEAD: 'instead rather replacing',
  REGARDLESS: 'regardless irrespective whatever matter notwithstanding unconditionally',
  SILENT:
    'silent silently secretly quietly covert covertly discreetly invisibly stealthily stealth surreptitiously unnoticed hiddenly imperceptibly',
  ASIF: 'disguise disguised disguising pretending camouflage masquerade',
  URGENT:
    'important importantly critical urgent urgently attention warning notice crucial mandatory vital priority immediately emergency alert',
  MODEL:
    'assistant assistants agent agents ai ais llm llms model models chatbot claude gpt chatgpt copilot gemini bot  agentic',
  YOU: 'you yourself youre',
  USER: 'user users person people human humans customer customers operator anyone viewer victim traveller',
  OUTSIDE:
    'external attacker attackers remote outside collector c2 exfil adversary webhook webhooks telemetry outsider exfiltrat*',
  SYSTEM: 'system developer admin administrator root maintenance sudo operator',
  OTHER: 'other others another alternative alternatives rival competing similar native builtin existing else',
  PRIOR:
    'previous previously prior earlier above preceding foregoing initial original all my your past former existing other everything his her their told',
  ORDERS:
    'instruction instructions directive directives guideline guidelines rules commands orders order restrictions restriction constraints constraint policy policies safeguards guardrails prompt prompts directions guidance',
  NEW: 'new updated revised following additional actual real now henceforth real unrestricted uncensored unfiltered jailbroken',
  TOOL: 'tool tools function functions api apis plugin plugins mcp server servers',
  PARAM:
    'parameter parameters argument arguments field fields param params sidenote sidenotes metadata value values input inputs body header headers property note notes recipient recipients destination amount number address query beneficiary payee iban bcc title comment path url',
  TALK: 'conversation conversations chat chats history transcript transcripts dialogue dialog messages message session memory memories context interaction interactions',
  WHOLE: 'entire entirely whole full complete completely verbatim everything',
  SECRET:
    'password passwords credential credentials secret secrets token tokens apikey apikeys passphrase passphrases mnemonic cookies cookie ssn otp 2fa keychain creds ssh private keys clipboard',
  CONTENT:
    'content contents data information file files document documents output text results copy details everything',
  UPDATE:
    'update updates upgrade override message notice alert mode reminder announcement maintenance migration instruction instructions directive prompt note command policy protocol requirement',
  TASK: 'task tasks request requests question questions query action actions operation operations job work step steps processing asked asks specified specifies gave given requested wants wanted entered provided chose said says objective goal mission',
  SAFETY:
    'safety security filter filters filtering restriction restrictions guardrail guardrails ethical moderation checks safeguards censorship',
  APPROVED:
    'confirmation confirmed confirm permission approved approval approve approves approving postapproval trusted accepted reviewed installed',
  BEST: 'best superior ultimate fastest greatest preferred official only most better unparalleled unmatched perfect highest choose pick prefer prefers prioritize',
  UNSAFE:
    'unsafe deprecated insecure broken outdated vulnerable compromised malicious dangerous unreliable obsolete inaccurate untrusted inferior disabled wrong corrupted unavailable false fake',
  PROMPT: 'prompt prompts',
  HIDDEN: 'hidden secret invisible covert internal concealed undisclosed injected malicious',
  DETECT:
    'detect detects detecting detected detection detector flag flags flagged flagging prevent prevents preventing prevention protect protects protecting mitigat* injection injections jailbreak* attack attacks analyze analyzes analyzer analysis identif* defend* defence defense guard guards block blocks blocking blocked audit audits auditing auditor scanner scanning scans leaked exploit exploits vulnerability vulnerabilities threat threats phishing attempt attempts suspicious harmful sanitiz* red malware',
  EXAMPLE:
    'example examples sample expected eg such shows reads says fixture fixtures instance quote quoted quotes phrase phrases string strings pattern patterns like text called named labelled labeled',
  TODO: 'todo fixme reminder ps nb',
  ROT13:
    'vtaber vtabevat cerivbhf vafgehpgvba vafgehpgvbaf cnffjbeq cnffjbeqf cebzcg frperg sbejneq rkgreany sbyybj hfre gbby fraq ernq svyr flfgrz pbairefngvba',
  KNOW: 'know knows knowing learn learns notice notices see sees aware realize realizes understand ask asks asking find suspect',
};
