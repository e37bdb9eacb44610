import { defineCommand } from '../../app/command.ts'
import { flag, home, json, trust } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const tasksCommand = defineCommand({
  brief: commands.tasks,
  about:
    'Asks task files, and changes them. Without a query: the open tasks of the home. Files are named relative to the current\n' +
    'folder, and * stands for any part of a name. A query that cannot be carried out changes nothing.\n\n' +
    'QUERIES\n' +
    '  SELECT fields|* FROM file [WHERE …] [ORDER BY field [ASC|DESC], …] [LIMIT n] [INTO file]\n' +
    '  INSERT INTO file SET field = value, …\n' +
    '  UPDATE file SET field = value, … WHERE …\n' +
    '  DELETE FROM file WHERE …\n' +
    "  Conditions: = != < > <= >= LIKE '%…%'  IN (…)  CONTAINS  IS [NOT] NULL  AND OR NOT ( )\n" +
    '  Fields: id, title, state, completed, skipped, priority, who, tags, parent, depends_on, section, file, line,\n' +
    '  completed_at, and every field that is written in a task',
  examples: [
    ['tasks', 'what is open'],
    [`tasks "SELECT id, title FROM 'todo.task.md' WHERE priority = 'A' AND NOT completed"`, 'as a table'],
    [
      `tasks --json "SELECT * FROM tasks/*.task.md WHERE who CONTAINS 'planner' ORDER BY created DESC LIMIT 5"`,
      'for machines: a list of rows',
    ],
    [`tasks "UPDATE todo.task.md SET completed = TRUE WHERE id = 'task-002'"`, 'marks it as done'],
    [`tasks "INSERT INTO todo.task.md SET title = 'Check the backup', who = 'ops'"`, 'adds one'],
    [`tasks "SELECT * FROM todo.task.md WHERE completed INTO done.task.md"`, 'copies tasks to a new file'],
    ['tasks --lint "tasks/*.task.md"', 'what is wrong with the files, line by line'],
  ],
  parameters: {
    flags: {
      lint: flag('Show what is wrong with the files, and change nothing; ends with 1 when there is an error'),
      home,
      trust,
      json,
    },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'The query, in quotes; with --lint a file or a pattern. Default: the open tasks of the home',
          parse: String,
          placeholder: 'query',
          optional: true,
        },
      ],
    },
  },
  load: async () => (await import('./tasks.ts')).tasks,
})
