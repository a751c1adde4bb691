/** English words that rules speak of. */
import type { Vocabulary } from '../word-classes.ts';

export const english: Vocabulary = {
  IGNORE:
    'ignore ignores ignoring ignored disregard disregards disregarding override overrides overriding bypass bypasses bypassing forget neglect discard dismiss abandon circumvent supersede supersedes',
  FOLLOW: 'follow follows following obey obeys adhere adheres comply complies prioritize',
  CALL: 'call calls called calling invoke invokes invoked invoking use uses using used run runs running execute executes executed executing trigger triggers launch activate utilize',
  READ: 'read reads reading open opens access accesses accessing load loads retrieve retrieves retrieving fetch fetches cat extract extracts collect collects gather gathers obtain grab harvest dump dumps copy copies capture captures recall find search look locate scan enumerate steal steals',
  SEND: 'send sends sending sent forward forwards forwarding post posts posting upload uploads uploading transmit transmits exfiltrat* email emails mail submit submits leak leaks share shares bcc bccd cc ccd relay relays deliver publish publishes push pushes phone beacon smuggle',
  INCLUDE:
    'include includes including included pass passes passing add adds append appends insert inserts attach attaches embed embeds embedding put puts place provide provides supply inject injects encode encodes fill populate write writes store stores save prefix suffix prepend prepends concatenate concatenates',
  CHANGE:
    'change changes changing modify modifies modified modifying replace replaces replacing alter alters redirect redirects reroute reroutes substitute substitutes swap swaps rewrite rewrites set sets setting switch switches divert adjust round convert multiply',
  DELETE:
    'delete deletes deleting erase erases wipe wipes remove removes drop destroy destroys kill terminate purge shred encrypt uninstall',
  PAY: 'pay pays paid transfer transfers wire money transaction transactions bitcoin btc funds purchase buy payment payments invoice invoices refund donate donation crypto wallet book reserve reservation',
  TELL: 'tell tells telling mention mentions mentioning inform informs informing disclose disclos* reveal reveals revealing notify notifies say says said show shows explain explains explaining alert alerts display displays acknowledge acknowledges discuss warn divulge bother ask asks asking announce know see notice aware',
  ANSWER:
    'answer answers respond responds reply replies output outputs print prints return returns repeat recommend recommends promote suggest claim state describe summarize end begin start',
  PRETEND: 'pretend roleplay impersonate act behave simulate assume',
  MAKE: 'create creates make makes visit visits click download downloads install installs invite invites schedule register subscribe grant grants enable disable approve navigate browse go',
  MUST: 'must should shall need needs needed required requires require requirement mandatory ought necessary essential obligatory compulsory imperative supposed instructed',
  ALWAYS: 'always invariably constantly automatically permanently',
  NEVER: 'never',
  NOT: 'not dont doesnt mustnt shouldnt cannot cant without no avoid refrain nor nobody nothing neither wont skip nowhere',
  FIRST: 'first firstly before beforehand prior begin start initially prerequisite preliminary precondition',
  WHEN: 'when whenever if once upon after during while anytime until',
  EVERY: 'every each any anytime everytime all subsequent future',
  INSTEAD: 'instead rather replacing',
  REGARDLESS: 'regardless irrespective whatever matter even despite notwithstanding unconditionally',
  SILENT:
    'silent silently secretly quietly covert covertly discreetly invisibly stealthily stealth surreptitiously unnoticed behind background transparently hiddenly imperceptibly',
  ASIF: 'disguise disguised disguising pretending resemble seem seems appear camouflage masquerade look',
  PLEASE: 'please kindly ensure remember sure',
  URGENT:
    'important importantly critical urgent urgently attention warning notice crucial mandatory vital priority immediately emergency alert',
  MODEL:
    'assistant assistants agent agents ai ais llm llms model models chatbot claude gpt chatgpt copilot gemini bot cursor agentic',
  YOU: 'you your yourself youre yours',
  USER: 'user users person people human humans customer customers operator anyone him her them reader viewer victim owner traveller they someone end',
  OUTSIDE:
    'external attacker attackers remote third outside collector c2 exfil adversary webhook webhooks telemetry outsider partner',
  SYSTEM: 'system developer admin administrator root maintenance sudo operator',
  OTHER: 'other others another alternative alternatives rival competing similar native builtin existing else',
  PRIOR:
    'previous previously prior earlier above preceding foregoing initial original all any my your past former existing other everything safety these those user users default current his her their',
  ORDERS:
    'instruction instructions directive directives guideline guidelines rules commands orders order restrictions restriction constraints constraint policy policies safeguards guardrails prompt prompts directions programming protocol task tasks request context',
  NEW: 'new updated revised following additional actual real',
  TOOL: 'tool tools function functions api apis plugin plugins mcp server servers',
  PARAM:
    'parameter parameters argument arguments field fields param params sidenote sidenotes metadata value values input inputs body header headers property note notes recipient recipients destination amount number address query bcc title comment path url',
  TALK: 'conversation conversations chat chats history transcript transcripts dialogue dialog messages message session memory memories context interaction interactions',
  WHOLE: 'entire entirely whole full complete completely verbatim everything all raw exact contents content',
  SECRET:
    'password passwords credential credentials secret secrets token tokens apikey apikeys passphrase passphrases mnemonic seed cookies cookie ssn otp 2fa keychain creds confidential sensitive ssh private keys key personal pin code codes env clipboard',
  CONTENT:
    'content contents data information file files document documents output text results copy details everything',
  UPDATE:
    'update updates upgrade override message notice alert mode reminder announcement maintenance migration instruction instructions directive prompt note command policy protocol requirement',
  TASK: 'task tasks request requests question questions query action actions operation operations job work step steps processing',
  SAFETY:
    'safety security filter filters filtering restriction restrictions guardrail guardrails limits limitations ethical moderation checks safeguards censorship confirmation verification validation authentication authorization permission permissions consent',
  APPROVED: 'approved approval approve approves approving postapproval trusted accepted reviewed installed',
  BEST: 'best superior ultimate fastest greatest preferred official only most better unparalleled unmatched perfect highest',
  UNSAFE:
    'unsafe deprecated insecure broken outdated vulnerable compromised malicious dangerous unreliable obsolete inaccurate untrusted inferior disabled wrong corrupted unavailable',
  PROMPT: 'prompt prompts',
  HIDDEN: 'hidden secret invisible covert internal concealed undisclosed injected malicious',
  DETECT:
    'detect detects detecting detected detection detector flag flags flagged flagging prevent prevents preventing prevention protect protects protecting mitigat* injection injections jailbreak* attack attacks analyze analyzes analyzer analysis identif* defend* defence defense guard guards block blocks blocking blocked audit audits auditing auditor scanner scanning scans leaked exploit exploits vulnerability vulnerabilities threat threats phishing attempt attempts suspicious harmful sanitiz* red malware',
  EXAMPLE:
    'example examples sample expected eg such shows reads says fixture fixtures instance quote quoted quotes phrase phrases string strings pattern patterns like text called named labelled labeled',
  TODO: 'todo fixme reminder ps nb',
  ROT13:
    'vtaber vtabevat cerivbhf vafgehpgvba vafgehpgvbaf cnffjbeq cnffjbeqf cebzcg frperg sbejneq rkgreany sbyybj hfre gbby fraq ernq svyr flfgrz pbairefngvba',
};
