/**
 * Phrases that read as translated, and their replacements. Each pattern is narrow enough to have no false positives: a word
 * with legitimate uses is listed together with its context.
 */
export const phrases = [
  [/\bmend(?:s|ed|ing)?\b/i, 'fix, repair'],
  [
    /\b(?:go|goes|going|went) on(?= with\b| without\b| where\b| when\b| until\b| after\b| from\b| in\b|[.,;:!?)`'"|]|\s*$)/im,
    'continue, resume, keep running',
  ],
  [
    /\b(?:take|takes|took|taken|taking) (?:it |them |this )?up\b(?! (?:to|space|room|memory)\b)/i,
    'apply, resume',
  ],
  [/\b(?:come|comes|coming|came|bring|brings) (?:everything )?to rest\b/i, 'shut down'],
  [/\bwhat(?:ever)? waits\b/i, 'pending (approvals)'],
  [/\bwaits? for (?:you\b|your decision\b|a decision\b)/i, 'is pending, is waiting for a decision'],
  [/\bstands? (?:in|below|there)\b(?! for\b)/i, 'is in, is listed in'],
  [/\b(?:is|are) said\b/i, 'Cadre prints, Cadre reports'],
  [/\b(?:is|are) told (?:why|of|so)\b|\bagent is told\b/i, 'receives'],
  [/\bwhoever\b/i, 'the user, the agent or the process that …'],
  [/\bpurses?\b/i, 'budget'],
  [
    /\b(?:folders?|projects?|repositor(?:y|ies)|workspaces?|homes?|it|they) brings?\b/i,
    'contains (hooks, tools, rules); trust this folder',
  ],
  [/\bonce more\b/i, 'again'],
  [/\bat work\b/i, 'running, working'],
  [/\b(?:leaves?|sends?|sent|stops?) at once\b/i, 'immediately'],
  [/\bwatch(?:es|ed|ing)? over\b/i, 'watch, run the daemon'],
  [/\b(?:put|puts|putting) right\b/i, 'fix'],
  [/\bnobody (?:is|can be) asked\b/i, 'without approval, unattended'],
  [/\b(?:is|be) refused the rest\b/i, 'everything else is denied'],
  [/\bthose there are\b|\bwhat there is\b/i, 'list …'],
  [/\bgets? to know\b/i, 'sees, receives'],
  [/\bmay be given several times\b/i, 'repeatable'],
  [/\bcounts (?:as soon as|from then|from now)\b/i, 'applies, takes effect'],
  [/\blast (?:one )?that (?:fits|matches) (?:holds|counts)\b/i, 'the last match applies'],
  [/\b(?:begin|begins|begun|began) anew\b/i, 'start again, start a new …'],
  [/\bstood still\b/i, 'was suspended'],
  [/\bpassed over\b/i, 'skipped'],
  [/\b(?:is|are|was|were|be|bytes,) left out\b/i, 'omitted'],
  [/\b(?:leaves? out|left (?:it|them) out)\b/i, 'omit'],
  [/[,;(] also (?:if|when|after|in|for|with|without|on|while)\b/i, 'even if, including when, and … too'],
  [/\bswitch(?:es|ing)? (?:(?:it|them|(?:an?|the|this) \w+) )?(?:off|on)\b/i, 'disable, enable'],
  [/(?<!\bthere )\bis no (?:agent|approval|file|folder|hook|session|task|tool)\b/i, 'is not a …'],
  [/\bany more(?=[.,;:!?)`'"]|\s*$)/im, 'no longer'],
  [/\bwith everything (?:it|they) (?:had )?start(?:s|ed)?\b/i, 'and everything it started'],
  [/\b(?:it|they|he|she) (?:is|are) to (?:do|be)\b/i, 'should'],
  [/\btexts? with commas\b/i, 'comma-separated text'],
  [/\bwithout end\b/i, 'forever'],
  [/\bin a circle\b/i, 'in a cycle'],
  [/\bnothing of (?:it|the|this)\b/i, 'none of it, nothing from the …'],
  [/\b(?:is|are|was|were) in no(?:ne)? (?:of )?\w+/i, 'no … contains'],
  [/\b(?:is|are|be) tried again\b/i, 'Cadre retries'],
  [/\bcannot be understood\b/i, 'is not valid'],
  [/\bswitched (?:off|on)\b/i, 'disabled, enabled'],
  [/\b(?:is|are) (?:only )?looked at\b/i, 'Cadre checks, Cadre reads'],
  [/\b(?:is|are) not known(?=[.,;:!?)`'"]|\s*$)/im, 'is unknown'],
  [/\b(?:stays?|is|are|remains?) in force\b/i, 'in effect'],
  [/\bmakes? space\b/i, 'free disk space'],
  [/\bbelongs? to no\b/i, 'is not part of any'],
  [/\bknown are\b|; (?:known|there are): /i, 'Known: …'],
  [/; did you mean\b/i, '. Did you mean …?'],
  [/\bas (?:it was|they were) found\b/i, 'the initial state'],
  [/\ball the same\b(?! (?:to|as|length|size)\b)/i, 'anyway, still'],
  [/\b(?:is|are|be|was|were) given back\b/i, 'returned, released'],
  [/\bunder way\b/i, 'in progress'],
  [/\bput (?:one|it|them) in (?:its|their) place\b/i, 'replace it with …'],
  [/\bplain file\b/i, 'regular file'],
  [/\bleads? out of\b/i, 'points outside'],
  [/\boutside of (?:an?|the|this|your|its|any|all)\b/i, 'outside'],
  [/\bis not the name of one\b/i, 'is not a single … name'],
  [/\bcontinues? where (?:it was|they were)\b/i, 'resumes where it left off'],
  [/\bfor ever\b/i, 'forever'],
  [/\bin vain\b/i, 'without success, timed out'],
  [/\binside of (?:an?|the|this|your|its|any|all)\b/i, 'inside'],
  [/\bnames? ignores? case\b/i, 'names are case-insensitive'],
  [/\banew\b/i, 'again, a new …'],
  [/\bin the place of\b/i, 'instead of, replaces'],
  [/\b(?:is|are) not there\b/i, 'does not exist, is missing'],
  [/\b(?:apply|applies|available) at once\b/i, 'immediately'],
  [/\b(?:is|are|was|were) left over\b/i, 'unused, remaining'],
  [/\blinks? to a place\b/i, 'a link that points …'],
  [/\buntil (?:it is|they are),/i, 'until you fix it'],
  [/\bnames? no (?:agent|file|folder|tool|session|other)\b/i, 'does not name a …'],
  [/\blists? of texts\b/i, 'list of strings'],
  [/\bconnection (?:to \w+ )?broke\b/i, 'the connection was lost'],
  [/\bcame in from outside\b/i, 'arrived from outside'],
  [/\b(?:after it|its messages|this route) wait\b/i, 'stay queued'],
  [/\bwhere (?:it|they|the paths?) (?:really )?leads?\b/i, 'its real location, what it points to'],
  [/\bhave (?:all )?their defaults\b/i, 'use their defaults'],
  [/\bis in the way\b/i, '… already exists there'],
  [/\bby (?:somebody|nobody)\b/i, 'an unknown user, no one'],
  [/\bof (?:the same|that|this) name\b/i, 'with the same name'],
  [/\bbudgets? (?:of|in) (?:tokens|money|calls)\b/i, 'token budget, money budget, call budget'],
  [/\bcalls? of (?:the|its|that|such a) tool\b/i, 'call to the tool'],
  [/\bcalls? of (?:one|the same) reply\b/i, 'calls in one reply'],
  [/\bnothing else of\b/i, 'no other part of'],
  [/`[^`\n]+` of (?:the|its|your) (?:home|project|workspace|policy)\b/i, "the home's `…`, `…` in the home"],
  [/\bfiles of (?:the|this|its|your) (?:home|project|workspace|repository)\b/i, 'files in the …'],
  [/\bsign-in of (?:an?|the) editor\b/i, "an editor's sign-in"],
  [/\b(?:maximum|highest) depth of delegation\b/i, 'maximum delegation depth'],
  [/\bin the spelling of\b/i, "in the program's spelling"],
  [
    /\bthe (?:report|journal|lease|prompt|status) of (?:the|a|this|each) (?:session|run|agent|task|child)\b(?! (?:that|whose|which|with|in|at|or|and)\b)/i,
    "the session's report",
  ],
  [/\bothers? users? than\b/i, 'users other than …'],
  [
    /\bdecid(?:e|es|ed|ing) about (?!whether\b)(?:an?|the|any|each|every|it|them|this|these|such|all|calls?|actions?|\d+)\b/i,
    'decide a call, decide for a call',
  ],
  [/\b(?:an|the) own (?!propert)\w+/i, 'its own …'],
  [/\ball other bytes\b|\bevery other byte\b/i, 'the rest of the file does not change'],
  [/\bwrites? no (?:relative )?paths?\b|\benters? no\b/i, 'do not …'],
  [
    /\b(?:starts?|runs?|reads?|writes?|opens?) (?:an?|the) \w+ again that\b/i,
    'restart a … that, rewrite a … that',
  ],
  [/(?:^|[.:;]\s|\*\* )so (?:many|much) (?!as\b)\w+/im, 'the number of …, this many …'],
  [/\bshown only now\b/i, 'shown only once'],
  [/\b(?:continues?|ends?) at once\b/i, 'immediately'],
  [
    /\b(?:the|an?) (?:answer|question|request) of (?:the|an?) (?:session|server|editor|host)\b/i,
    "the server's question",
  ],
  [/\bgave (?:the|a|this) run work\b/i, 'gave work to the run'],
  [/\btells? (?:you|people|the user|the person) so\b/i, 'prints a warning, reports it'],
  [/\btells whether\b/i, 'shows whether, is true if'],
  [/, as before(?=[.,;:)]|\s*$)/im, 'state what happens'],
  [/\b(?:searches|behaves|asks) as with\b/i, 'works like …, uses … instead'],
  [/\bof (?:its|their) own kind\b/i, 'a separate kind of …'],
  [/\bSo (?:does|do|is|are) (?:an?|the|its|their|every|each)\b/, 'repeat the statement: The … also …'],
  [/[,;] also (?:those|how|what)\b/i, 'including …, or a new sentence'],
  [/\bin turns\b/i, 'alternately'],
  [/\brecords? holds?\b/i, 'Cadre records …, the file contains …'],
  [/\bwith a list of them\b/i, 'and lists the missing …'],
]

const compiled = phrases.map(([pattern, instead]) => [
  new RegExp(pattern.source.replaceAll(' ', '\\s+'), `${pattern.flags}g`),
  instead,
])

/** One pattern for each set of flags. Nearly all of the many short texts contain no phrase, and one search shows that. */
const anyPhrase = [...new Set(phrases.map(([{ flags }]) => flags))].map(
  (flags) =>
    new RegExp(
      compiled
        .filter(([pattern]) => pattern.flags.replace('g', '') === flags)
        .map(([{ source }]) => `(?:${source})`)
        .join('|'),
      flags,
    ),
)

/** Returns every phrase in a text, with its line. A phrase may span lines. */
export function findPhrases(text) {
  if (!anyPhrase.some((pattern) => pattern.test(text))) return []
  return compiled.flatMap(([pattern, instead]) =>
    [...text.matchAll(pattern)].map(({ 0: phrase, index }) => ({
      line: text.slice(0, index).split('\n').length,
      phrase,
      instead,
    })),
  )
}
