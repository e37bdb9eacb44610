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
]

/** Returns every phrase in a text, with its line. A phrase may span lines. */
export function findPhrases(text) {
  return phrases.flatMap(([pattern, instead]) =>
    [...text.matchAll(new RegExp(pattern.source.replaceAll(' ', '\\s+'), `${pattern.flags}g`))].map(
      ({ 0: phrase, index }) => ({
        line: text.slice(0, index).split('\n').length,
        phrase,
        instead,
      }),
    ),
  )
}
