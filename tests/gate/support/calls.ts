import fc from 'fast-check'

export interface GeneratedCall {
  readonly tool: string
  readonly input: {
    readonly command?: string
    readonly cwd?: string
    readonly path?: string
    readonly content?: string
  }
}

const program = fc.constantFrom(
  ...'ls,cat,git status,git diff,git add,git -C sub log,npm test,node,rm,rm -rf,curl,touch,sort,sort -o,find,grep -rn x,sed -n p,sed -i s/a/b/,echo,cd,bash -c,timeout 5 ls,env,xargs,./evil,unknown'.split(
    ',',
  ),
)
const word = fc.constantFrom(
  ...'src/a.ts,package.json,.,/,..,out/secret,../outside/secret,/etc/passwd,*,src/*,-o,--,-la,.cadre/storage/policy.yaml,/tmp/x,sub,$x,$(ls),"a b",\'*\',~,{a,b},x=1,out,.git/config'.split(
    ',',
  ),
)
const between = fc.constantFrom(' && ', ' | ', '; ', ' || ', '\n', ' & ', ' > ', ' 2>&1 | ', ' < ')
const command = fc
  .array(fc.tuple(program, fc.array(word, { maxLength: 3 }), between), { minLength: 1, maxLength: 3 })
  .map((parts) =>
    parts
      .map(
        ([name, words, operator], at) => [name, ...words].join(' ') + (at < parts.length - 1 ? operator : ''),
      )
      .join(''),
  )
/** Calls that are allowed, asked or denied, in the project of the tests that compare decisions. */
export const callsOf: fc.Arbitrary<GeneratedCall> = fc.oneof(
  { weight: 6, arbitrary: command.map((line) => ({ tool: 'execute_command', input: { command: line } })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(command, word)
      .map(([line, cwd]) => ({ tool: 'execute_command', input: { command: line, cwd } })),
  },
  { weight: 1, arbitrary: word.map((given) => ({ tool: 'read_file', input: { path: given } })) },
  {
    weight: 1,
    arbitrary: word.map((given) => ({ tool: 'write_file', input: { path: given, content: 'x' } })),
  },
)
