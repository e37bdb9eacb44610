import path from 'node:path'
import { type Infer, object, optional, string, type Tool } from '@cadre/core'
import { readInsideFolder } from '@cadre/disk'
import type { Skill } from '@cadre/knowledge'
import { builtIn } from '../built-in.ts'
import { Refusal } from '../refusal.ts'

const maxLength = 100_000

const input = object({
  name: string('Name of the skill, as in the list of skills', { min: 1 }),
  file: optional(string("A file in the skill's folder, to read instead of its text", { min: 1 })),
})

export type ReadSkillInput = Infer<typeof input>

/** The current skills of a workspace. */
export type ListSkills = (workspace: string) => readonly Skill[]

/** Reads a skill of the workspace or the user. Skills of the user are outside the workspace, where no other tool can read. */
export function readSkillTool(skillsIn: ListSkills): Tool {
  return builtIn<ReadSkillInput>({
    name: 'read_skill',
    description:
      'Read the text of a skill, or a file in its folder. The list of skills is in your instructions.',
    class: 'read',
    effect: 'read',
    argumentAliases: { skill: 'name', command: 'name' },
    input,
    load: () => ({
      run: async ({ name, file }, { workspace }) => {
        const skills = skillsIn(workspace)
        const skill = skills.find((one) => one.name === name)
        if (skill === undefined) {
          const known = skills.map((one) => one.name)
          throw new Refusal(
            `There is no skill ${JSON.stringify(name)}. Skills: ${known.join(', ') || 'none'}.`,
          )
        }
        if (file === undefined)
          return {
            content: `${skill.body}\n\n[This skill's files are in ${path.dirname(skill.shown)}.]`,
          }
        const content = readInsideFolder(skill.folder, path.resolve(skill.folder, file))
        if (content.kind === 'read') return { content: content.text.slice(0, maxLength) }
        const why = content.kind === 'none' ? 'the file does not exist' : content.reason
        throw new Refusal(`Cannot read ${file} from the skill ${name}: ${why}.`)
      },
    }),
  })
}
