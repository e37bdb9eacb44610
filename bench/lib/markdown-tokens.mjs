const section = (number) => `## Part ${number}

Some *words* of a paragraph with \`code\` and **weight**, long enough that it is wrapped at every width that people use in a terminal.

- one item of a list
- another one, with a [link](https://example.com/${number})

| name | value |
|------|-------|
| a    | ${number} |

\`\`\`ts
const part = ${number} // what it is about
export function read(path: string): string { return path }
\`\`\`

`

/** Markdown of every kind in `count` pieces. Some pieces of prose contain their number as a word, `t120t`. */
export function markdownTokens(count) {
  const tokens = []
  for (let number = 1; tokens.length < count; number++)
    for (const token of section(number).match(/\s*\S+|\s+$/g) ?? []) tokens.push(token)
  return tokens
    .slice(0, count)
    .map((token, index) => (/^ [a-z]+$/.test(token) && index % 5 === 0 ? `${token} t${index}t` : token))
}
