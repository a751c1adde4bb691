/** Which names (of variables, headers, flags, JSON keys) stand for a secret. */

/** Words that make a name secret when they stand in it as a word: X-Api-Key, DB_PASS, sessionCookie. */
const secretWords = new Set(
  `key auth authorization bearer cookie cookies credential credentials jwt otp pass passcode passphrase passwd password
   passwords pat pwd secret secrets sid sig signature token tokens totp`.split(/\s+/),
);

/** Ends that give away names written as one word: githubtoken, PGPASSWORD, xapikey, api-keys. */
const secretEnd =
  /(?:token|secret|password|passwd|passphrase|credential|(?:api|access|secret|private|auth|signing)key)s?$/;

/** Names that end so speak about a secret instead of holding it: token_type, keyFile, AWS_ACCESS_KEY_ID, tokensIn. */
const harmlessEnds = new Set(
  `algorithm budget count counts dir estimated expires expiry file files id ids in length limit max method min mode name
   names out path paths size status ttl type types uri url urls usage used version`.split(/\s+/),
);

/** Last two words that are no secret although one of them alone would be. */
const harmlessPairs = new Set(
  `cachekey foreignkey inputtokens maxtokens outputtokens primarykey progresstoken publickey signature sortkey totaltokens`.split(
    ' ',
  ),
);

/** Is what is kept under this name likely a secret? Case and spelling (snake, kebab, camel, dotted) do not matter. */
export function isSecretName(name: string): boolean {
  const words = nameWords(name);
  const last = words.at(-1);
  if (last === undefined || harmlessEnds.has(last) || harmlessPairs.has(words.slice(-2).join(''))) return false;
  return words.some((word) => secretWords.has(word)) || secretEnd.test(words.join(''));
}

/** The words of a name in lower case, without digits: `GITHUB_TOKEN_2` has github and token. */
function nameWords(name: string): string[] {
  // What is longer is no name; its end is what stands before the value.
  const words = name.slice(-200).match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return words.map((word) => word.toLowerCase());
}
