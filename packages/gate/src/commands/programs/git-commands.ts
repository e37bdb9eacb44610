import { readTable } from './spec.ts'

/** The git commands, with every option that is known to be harmless. `rev` is a revision, or a path in the repository. */
const diff =
  '-pusRabwWzBMCD -# -U=num -l=num -S=text -G=text -I=text -B?=text -M?=text -C?=text --no-patch --patch --raw --patch-with-raw --patch-with-stat --minimal --patience --histogram --anchored=text --diff-algorithm=text --stat?=text --stat-width=num --compact-summary --numstat --shortstat --dirstat?=text --cumulative --summary --name-only --name-status --color?=text --no-color --color-moved?=text --no-color-moved --color-words?=text --word-diff?=text --word-diff-regex=text --no-renames --rename-empty --no-rename-empty --check --full-index --binary --abbrev?=num --no-abbrev --find-renames?=text --find-copies?=text --find-copies-harder --irreversible-delete --diff-filter=text --find-object=text --pickaxe-all --pickaxe-regex --relative?=rev --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines=text --inter-hunk-context=num --function-context --exit-code --quiet --no-ext-diff --no-textconv --src-prefix=text --dst-prefix=text --no-prefix --default-prefix --line-prefix=text --unified=num'
const log =
  '-iEFPgcmtn -# -n=num -L=text --max-count=num --skip=num --since=text --after=text --until=text --before=text --author=text --committer=text --grep=text --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --merges --no-merges --min-parents=num --max-parents=num --first-parent --not --all --branches?=text --tags?=text --remotes?=text --glob=text --exclude=text --reflog --cherry-mark --cherry-pick --left-only --right-only --cherry --walk-reflogs --boundary --simplify-by-decoration --full-history --dense --sparse --simplify-merges --ancestry-path?=text --date-order --author-date-order --topo-order --reverse --no-walk?=text --pretty?=format --format=format --abbrev-commit --no-abbrev-commit --oneline --encoding=text --notes?=text --no-notes --relative-date --date=text --parents --children --left-right --graph --no-graph --decorate?=text --no-decorate --decorate-refs=text --decorate-refs-exclude=text --clear-decorations --source --use-mailmap --mailmap --no-mailmap --log-size --follow --full-diff --cc --diff-merges=text --no-diff-merges --show-pulls'
const list =
  '--sort=text --format=format --color?=text --no-color --column?=text --no-column --ignore-case -i --points-at=text --contains?=text --no-contains?=text --merged?=text --no-merged?=text'

/** Read-only commands. Other uses of `branch`, `tag` and similar commands are below. */
export const gitReaders = readTable(`
status | -sbvz -u?=text --short --branch --show-stash --porcelain?=text --long --verbose --untracked-files?=text --ignored?=text --column?=text --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?=text | rev*
log, whatchanged, show | ${diff} ${log} | rev*
diff | ${diff} --cached --staged --merge-base --base --ours --theirs -0 | rev*
diff-tree | ${diff} -rtmvc --root --no-commit-id --cc --merge-base | rev*
diff-index | ${diff} -m --cached --merge-base | rev*
diff-files | ${diff} -q0 --base --ours --theirs --cc | rev*
blame, annotate | -bltfnsewcpkMC -L=text -M?=text -C?=text --root --show-stats --porcelain --line-porcelain --incremental --date=text --since=text --first-parent --abbrev=num --color-lines --color-by-age --ignore-rev=text --ignore-revs-file=path --show-name --show-number --show-email --no-progress | rev*
describe | --all --tags --contains --abbrev=num --long --always --first-parent --dirty?=text --match=text --exclude=text --exact-match --candidates=num --debug | rev*
shortlog | ${log} -nsec --numbered --summary --email --group=text | rev*
rev-parse | -q --abbrev-ref?=text --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --short?=num --verify --quiet --symbolic --symbolic-full-name --all --branches?=text --tags?=text --remotes?=text --show-superproject-working-tree --show-object-format?=text --default=text --revs-only --no-revs --flags --no-flags --not --path-format=text --git-path=text | rev*
rev-list | ${log} --count --objects --use-bitmap-index --disk-usage?=text --header --timestamp --no-commit-header | rev*
ls-files | -cdmoisukztvf -x=text -X=path --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --no-empty-directory --exclude=text --exclude-from=path --exclude-per-directory=text --exclude-standard --error-unmatch --full-name --abbrev?=num --eol --deduplicate --format=format --with-tree=text --sparse | rev*
ls-tree | -drtlz --long --name-only --name-status --full-name --full-tree --abbrev?=num --format=format --object-only | rev*
cat-file | -epts | rev*
merge-base | -a --all --octopus --is-ancestor --fork-point --independent | rev*
name-rev | --tags --refs=text --exclude=text --all --name-only --no-undefined --always | rev*
show-ref | -dsq --head --tags --heads --branches --dereference --hash?=num --verify --quiet --abbrev?=num | rev*
for-each-ref | ${list} --count=num --exclude=text | rev*
count-objects | -vH --verbose --human-readable |
check-ignore | -qvnz --quiet --verbose --non-matching --no-index | rev*
check-attr | -az --all --cached | rev*
cherry | -v --abbrev?=num | rev*
grep | -aiIwvhHEGFPnlLzocqpWr -# -A=num -B=num -C=num -m=num -e=!text -f=!path --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only --files-without-match --null --only-matching --count --color?=text --no-color --break --heading --show-function --function-context --max-depth=num --recursive --no-recursive --threads=num --quiet --all-match --and --or --not --untracked --exclude-standard --no-exclude-standard --cached --max-count=num --after-context=num --before-context=num --context=num | pattern rev*
version | --build-options |
branch | ${list} -arv --all --remotes --verbose --show-current --list --abbrev=num |
tag | ${list} -ln -n?=num --list |
remote | -v --verbose |
worktree | |
reflog | ${log} |
`)

/** Read-only subcommands of commands that can also change something. */
export const gitSubReaders = readTable(`
remote get-url | --push --all | word
remote show | -n |
stash list | ${log} |
stash show | ${diff} -u --include-untracked --only-untracked | rev
reflog show | ${log} | rev
worktree list | -vz --porcelain --verbose |
notes list, notes show | | rev
`)

/**
 * These commands change a repository or contact a server. They are allowed only if a pattern names them, and only with
 * these options.
 */
export const gitWriters = readTable(`
add | -AuvnNf --all --update --verbose --dry-run --intent-to-add --force --ignore-removal --no-all --renormalize --refresh --sparse --chmod=text | rev*
commit | -asqvno -m=text -F=path -C=text -u?=text --all --message=text --file=path --signoff --quiet --verbose --no-verify --only --include --amend --no-edit --allow-empty --allow-empty-message --author=text --date=text --fixup=text --squash=text --reuse-message=text --reset-author --trailer=text --dry-run --short --porcelain --long --status --no-status --cleanup=text --no-gpg-sign --no-post-rewrite | rev*
checkout | -bqtdl --quiet --detach --track?=text --no-track --guess --no-guess --ours --theirs --merge --orphan --progress --no-progress --overwrite-ignore | rev*
switch | -cqtdm --create --quiet --detach --track?=text --no-track --guess --no-guess --merge --orphan --no-progress | rev*
restore | -qSWm -s=text --source=text --staged --worktree --quiet --ours --theirs --merge --progress --no-progress --ignore-unmerged | rev*
reset | -qN --quiet --soft --mixed --keep --merge --intent-to-add --no-refresh | rev*
merge | -nqv -m=text -s=text -X=text -F=path --ff --no-ff --ff-only --squash --no-squash --no-commit --commit --no-edit --message=text --strategy=text --strategy-option=text --abort --continue --quit --quiet --verbose --stat --no-stat --no-verify --allow-unrelated-histories --signoff --log?=num --no-gpg-sign | rev*
rebase | -qvn -s=text -X=text --abort --continue --skip --quit --onto=text --keep-base --root --merge --quiet --verbose --no-verify --strategy=text --strategy-option=text --autostash --no-autostash --rebase-merges?=text --no-rebase-merges --autosquash --no-autosquash --update-refs --no-update-refs --stat --no-stat --fork-point --no-fork-point --no-gpg-sign | rev*
cherry-pick | -nxsq -m=num -X=text --no-commit --signoff --mainline=num --strategy=text --strategy-option=text --abort --continue --skip --quit --ff --allow-empty --no-gpg-sign | rev*
revert | -ns -m=num --no-commit --no-edit --signoff --mainline=num --abort --continue --skip --quit --no-gpg-sign | rev*
stash | -uakqSp -m=text --include-untracked --all --keep-index --no-keep-index --staged --quiet --message=text --index | rev*
fetch | -aptnqvfkj4 -6 --all --append --prune --prune-tags --tags --no-tags --depth=num --deepen=num --unshallow --shallow-since=text --dry-run --quiet --verbose --progress --jobs=num --recurse-submodules?=text --no-recurse-submodules --multiple --keep --atomic --update-shallow --force | rev*
pull | -rqvnp4 -6 --rebase?=text --no-rebase --ff --ff-only --no-ff --quiet --verbose --all --prune --tags --no-tags --depth=num --no-edit --squash --no-commit --autostash --no-autostash --stat --no-stat --progress --no-verify | rev*
push | -uqvn4 -6 --set-upstream --quiet --verbose --dry-run --tags --follow-tags --all --branches --porcelain --progress --atomic --no-verify --thin --no-thin | rev*
branch | -qt --quiet --track?=text --no-track | rev*
tag | -a -m=text --annotate --message=text | rev*
mv | -kvn --verbose --dry-run | rev*
rm | -rnq --cached --dry-run --quiet --ignore-unmatch --sparse | rev*
init | -q -b=text --quiet --initial-branch=text --object-format=text | path
`)
