import { defineCommand } from '../../app/command.ts'
import { booleanFlag, homeFlag, jsonFlag, trustFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const tasksCommand = defineCommand({
  brief: commands.tasks,
  about:
    'Queries and changes task files. Without a query, lists the open tasks in the home directory. File names are relative to the\n' +
    'current folder; * matches any part of a name. A query that fails does not change any files.\n\n' +
    'QUERIES\n' +
    '  SELECT fields|* FROM file [WHERE …] [ORDER BY field [ASC|DESC], …] [LIMIT n] [INTO file]\n' +
    '  INSERT INTO file SET field = value, …\n' +
    '  UPDATE file SET field = value, … WHERE …\n' +
    '  DELETE FROM file WHERE …\n' +
    "  Conditions: = != < > <= >= LIKE '%…%'  IN (…)  CONTAINS  IS [NOT] NULL  AND OR NOT ( )\n" +
    '  Fields: id, title, state, completed, skipped, priority, who, tags, parent, depends_on, section, file, line,\n' +
    '  completed_at, and every field written in a task',
  examples: [
    ['tasks', 'list open tasks'],
    [`tasks "SELECT id, title FROM 'todo.task.md' WHERE priority = 'A' AND NOT completed"`, 'print a table'],
    [
      `tasks --json "SELECT * FROM tasks/*.task.md WHERE who CONTAINS 'planner' ORDER BY created DESC LIMIT 5"`,
      'print a JSON list of rows',
    ],
    [`tasks "UPDATE todo.task.md SET completed = TRUE WHERE id = 'task-002'"`, 'mark a task as done'],
    [`tasks "INSERT INTO todo.task.md SET title = 'Check the backup', who = 'ops'"`, 'add a task'],
    [`tasks "SELECT * FROM todo.task.md WHERE completed INTO done.task.md"`, 'copy tasks to a new file'],
    ['tasks --lint "tasks/*.task.md"', 'check the files'],
  ],
  parameters: {
    flags: {
      lint: booleanFlag('Check the files without changing them; exits with 1 when there is an error'),
      home: homeFlag,
      trust: trustFlag,
      json: jsonFlag,
    },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief:
            'The query, in quotes; with --lint a file or a pattern. Default: the open tasks in the home directory',
          parse: String,
          placeholder: 'query',
          optional: true,
        },
      ],
    },
  },
  load: async () => (await import('./tasks.ts')).queryTasks,
})
