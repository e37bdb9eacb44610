const tasks = 'packages/tasks/src'
const conditions = [`${tasks}/query/select-tasks.test.ts`]
const queries = [`${tasks}/query/run-query.test.ts`]
const changes = [`${tasks}/change-task.test.ts`, `${tasks}/task-edits.property.test.ts`]

/** Task files, which people edit too, and queries. */
export const taskMutants = {
  tests: changes,
  rows: [
    [
      'NOT selects tasks without the field',
      `${tasks}/query/compile-condition.ts`,
      'const truth = of(row)\n        return truth === undefined ? undefined : !truth',
      'return !of(row)',
      conditions,
    ],
    [
      '!= selects tasks without the field',
      `${tasks}/query/compile-condition.ts`,
      'const truth = equal(row)\n      return truth === undefined ? undefined : !truth',
      'return !equal(row)',
      conditions,
    ],
    [
      'an unknown operand of AND or OR is ignored',
      `${tasks}/query/compile-condition.ts`,
      'if (truth === undefined) result = undefined',
      '',
      conditions,
    ],
    [
      'a query changes a task by its old content',
      `${tasks}/query/change-tasks.ts`,
      'if (raw !== plan.before) plan = planFile({ query, file, raw, edit })',
      '',
      queries,
    ],
    [
      'a query decides approvals',
      `${tasks}/query/change-tasks.ts`,
      'found.filter((task) => !isApproval(file, task))',
      'found',
      ['tests/cli/tasks.test.ts'],
    ],
    [
      'many edits at once are not verified',
      `${tasks}/query/edit-chunks.ts`,
      'return isSure && haveSameContent(itemsOf(result), expected)',
      'return true',
      queries,
    ],
    [
      'a change of one task changes the meaning of others',
      `${tasks}/change-task.ts`,
      'if (isIntendedEdit(read, readWrittenTasks(after), { at: found, expected: plan.expected }))',
      'if (true)',
    ],
    [
      'the first of two tasks with one id is changed',
      `${tasks}/change-task.ts`,
      'if (second === undefined) return place',
      'return place',
    ],
    [
      'removing a task leaves its last subtask',
      `${tasks}/remove-task.ts`,
      'const { start, treeEnd } = task',
      'const { start, end: treeEnd } = task',
    ],
    [
      'a tool decides an approval in a task file',
      `${tasks}/task-files.ts`,
      "if (isApprovalType(task.fields.get('type')))",
      'if (false)',
      [`${tasks}/task-files.test.ts`],
    ],
    [
      'code without an end hides tasks after a change',
      `${tasks}/rescan.ts`,
      ' || scan.scanProblems.some(isUnclosed)) return undefined',
      ') return undefined',
      [`${tasks}/rescan.test.ts`],
    ],
    [
      'a save of a person during a change is lost',
      'packages/home/src/home/edit-shared-file.ts',
      'if (!isStill(file, before)) continue',
      '',
      [`${tasks}/tasks.test.ts`],
    ],
    [
      'a link in the tasks folder is followed',
      'packages/home/src/home/edit-shared-file.ts',
      'if (!stats.isFile())',
      'if (false)',
      [`${tasks}/tasks.test.ts`],
    ],
  ],
}
