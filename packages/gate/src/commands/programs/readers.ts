import { readTable } from './spec.ts'

/**
 * Programs that only read, with every option that is known to be harmless. Deliberately omitted: options that write (`sort
 * -o`), start a program (`rg --pre`), follow links in a folder (`grep -R`, `find -L`), or read file names from a file (`wc
 * --files0-from`).
 *
 * A line is: programs | options | operands, in the format of `spec.ts`.
 */
export const readOnlyPrograms = readTable(`
ls | -aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ1 -I=text -w=num -T=num --all --almost-all --author --escape --block-size=text --ignore-backups --color?=text --directory --dereference-command-line --classify?=text --file-type --format=text --full-time --group-directories-first --no-group --human-readable --si --hide=text --hyperlink?=text --indicator-style=text --inode --ignore=text --kibibytes --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --quoting-style=text --reverse --recursive --size --sort=text --time=text --time-style=text --tabsize=num --width=num --context --zero --help --version | path*
cat | -AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting --help --version | path*
head, tail | -qvz -# -n=text -c=text --bytes=text --lines=text --quiet --silent --verbose --zero-terminated --help --version | path*
wc | -cmlLw --bytes --chars --lines --max-line-length --words --total=text --help --version | path*
date | -uR -I?=text -d=text -r=path --date=text --reference=path --iso-8601?=text --rfc-3339=text --rfc-email --utc --universal --help --version | plus
whoami, arch | --help --version |
id | -ugnGrzZ --user --group --name --groups --real --zero --help --version | word*
uname | -asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system --help --version |
groups, sleep | --help --version | word*
nproc | --all --ignore=num --help --version |
uptime | -psV --pretty --since --help --version |
hostname | -sfdiIA --short --fqdn --long --domain --ip-address --all-ip-addresses --all-fqdns --help --version |
df | -ahHikTPl -t=text -x=text -B=text --all --human-readable --inodes --local --portability --print-type --si --total --type=text --exclude-type=text --block-size=text --output?=text --help --version | path*
du | -abchkmsSxl0P -d=num -t=text -B=text --all --apparent-size --bytes --total --human-readable --si --summarize --separate-dirs --one-file-system --count-links --no-dereference --null --max-depth=num --exclude=text --threshold=text --time?=text --time-style=text --block-size=text --help --version | path*
free | -bkmghwtlvV -s=num -c=num --human --bytes --kibi --mebi --gibi --wide --total --lohi --help --version |
seq | -w -f=text -s=text --format=text --separator=text --equal-width --help --version | num*
basename | -az -s=text --multiple --suffix=text --zero --help --version | text*
dirname | -z --zero --help --version | text*
realpath | -emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --zero --relative-to=path --relative-base=path --help --version | path*
readlink | -femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero --help --version | path*
stat | -Lft -c=text --printf=text --format=text --dereference --file-system --terse --cached=text --help --version | path*
file | -bhikLnNrv0 -F=text --brief --mime --mime-type --mime-encoding --no-pad --no-buffer --keep-going --raw --dereference --no-dereference --separator=text --print0 --help --version | path*
tree | -adfipqsughDFrtcUSACJXn -L=num -P=text -I=text --noreport --dirsfirst --filesfirst --prune --filelimit=num --timefmt=text --sort=text --du --si --inodes --device --gitignore --matchdirs --ignore-case --charset=text --metafirst --help --version | path*
grep, egrep, fgrep | -EFGPivyVwxcLlqsoHhnbTUzZarIu -# -A=num -B=num -C=num -m=num -e=!text -f=!path -d=text -D=text --include=text --exclude=text --exclude-dir=text --exclude-from=path --color?=text --colour?=text --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp=!text --file=!path --ignore-case --no-ignore-case --word-regexp --line-regexp --null-data --no-messages --invert-match --max-count=num --byte-offset --line-number --line-buffered --with-filename --no-filename --label=text --only-matching --quiet --silent --binary-files=text --text --recursive --files-without-match --files-with-matches --count --initial-tab --null --after-context=num --before-context=num --context=num --group-separator=text --no-group-separator --binary --directories=text --devices=text --help --version | pattern path*
rg | -abcFHiIlnNopPqsSuUvwx0.hV -A=num -B=num -C=num -e=!text -f=!path -g=text -t=text -T=text -m=num -r=text -M=num -d=num -E=text -j=num --after-context=num --before-context=num --context=num --context-separator=text --color=text --colors=text --column --no-column --count --count-matches --crlf --encoding=text --engine=text --file=!path --files! --files-with-matches --files-without-match --fixed-strings --glob=text --glob-case-insensitive --heading --no-heading --hidden --no-hidden --iglob=text --ignore-case --ignore-file=path --ignore --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-global --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-require-git --include-zero --invert-match --json --line-number --no-line-number --line-regexp --max-columns=num --max-columns-preview --max-count=num --max-depth=num --maxdepth=num --max-filesize=text --multiline --multiline-dotall --no-config --no-messages --no-filename --null --null-data --one-file-system --only-matching --passthru --pcre2 --pretty --quiet --regexp=!text --regex-size-limit=text --dfa-size-limit=text --replace=text --binary --smart-case --case-sensitive --sort=text --sortr=text --stats --text --threads=num --trim --type=text --type-not=text --type-list! --unrestricted --vimgrep --with-filename --word-regexp --path-separator=text --no-unicode --byte-offset --mmap --no-mmap --line-buffered --block-buffered --help --version | pattern path*
fd, fdfind | -HIusigFap0q1 -d=num -t=text -e=text -E=text -c=text -S=text -j=num --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --full-path --max-depth=num --min-depth=num --exact-depth=num --type=text --extension=text --exclude=text --color=text --size=text --changed-within=text --changed-before=text --max-results=num --print0 --strip-cwd-prefix?=text --path-separator=text --base-directory=path --search-path=path --one-file-system --quiet --prune --threads=num --help --version | pattern path*
cut | -snz -b=text -c=text -d=text -f=text --bytes=text --characters=text --delimiter=text --fields=text --complement --only-delimited --output-delimiter=text --zero-terminated --help --version | path*
tr | -cCdst --complement --delete --squeeze-repeats --truncate-set1 --help --version | text*
sort | -bdfghinRrVMcCmsuz -k=text -t=text -S=text --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --sort=text --version-sort --check?=text --merge --key=text --field-separator=text --stable --unique --zero-terminated --parallel=num --buffer-size=text --batch-size=num --debug --help --version | path*
uniq | -cdDiuz -f=num -s=num -w=num --count --repeated --all-repeated?=text --group?=text --ignore-case --skip-fields=num --skip-chars=num --unique --zero-terminated --check-chars=num --help --version | path
comm | -123z --check-order --nocheck-order --output-delimiter=text --total --zero-terminated --help --version | path path
paste | -sz -d=text --delimiters=text --serial --zero-terminated --help --version | path*
join | -iz -a=text -e=text -1=num -2=num -j=num -o=text -t=text -v=text --check-order --nocheck-order --header --ignore-case --zero-terminated --help --version | path path
column | -txJLe -s=text -o=text -c=num -N=text -R=text -H=text -n=text --table --separator=text --output-separator=text --output-width=num --json --table-name=text --table-columns=text --table-right=text --table-hide=text --help --version | path*
nl | -p -b=text -d=text -f=text -h=text -i=num -l=num -n=text -s=text -v=num -w=num --body-numbering=text --section-delimiter=text --line-increment=num --number-format=text --number-separator=text --starting-line-number=num --number-width=num --no-renumber --help --version | path*
fold | -bs -# -w=num --bytes --spaces --width=num --help --version | path*
fmt | -cstu -# -w=num -p=text -g=num --crown-margin --prefix=text --split-only --tagged-paragraph --uniform-spacing --width=num --goal=num --help --version | path*
expand | -i -t=text --initial --tabs=text --help --version | path*
unexpand | -a -t=text --all --first-only --tabs=text --help --version | path*
rev | --help --version | path*
tac | -br -s=text --before --regex --separator=text --help --version | path*
od | -abcdfhiloxsv -A=text -j=text -N=text -S=num -t=text -w?=num --address-radix=text --skip-bytes=text --read-bytes=text --strings?=num --format=text --output-duplicates --width?=num --endian=text --help --version | path*
hexdump | -bcCdovx -e=text -n=num -s=text --canonical --one-byte-octal --one-byte-char --two-bytes-decimal --two-bytes-octal --two-bytes-hex --length=num --skip=text --no-squeezing --help --version | path*
xxd | + -abeEipuU -c=num -g=num -l=text -s=text -o=text -n=text | path
strings | -afow -# -n=num -t=text -e=text -s=text --all --bytes=num --radix=text --encoding=text --print-file-name --include-all-whitespace --output-separator=text --help --version | path*
diff | -abBcdeEinNpqrsTtuwyZ -# -W=num -U=num -C=num -I=text -F=text -x=text -X=path -S=text -L=text --normal --brief --report-identical-files --context?=num --unified?=num --ed --rcs --side-by-side --width=num --left-column --suppress-common-lines --show-c-function --show-function-line=text --label=text --expand-tabs --initial-tab --tabsize=num --suppress-blank-empty --recursive --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case --exclude=text --exclude-from=path --starting-file=text --from-file=path --to-file=path --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines=text --text --strip-trailing-cr --minimal --horizon-lines=num --speed-large-files --color?=text --palette=text --help --version | path path
cmp | -bls -i=text -n=text --print-bytes --verbose --silent --quiet --ignore-initial=text --bytes=text --help --version | path path
jq | -rRcnseaSjMCh --raw-output --raw-output0 --raw-input --compact-output --null-input --slurp --exit-status --ascii-output --sort-keys --join-output --tab --indent=num --color-output --monochrome-output --unbuffered --stream --seq --arg=2text --argjson=2text --help --version | jq path*
sed | -nErsuz -e=!sed --expression=!sed --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --debug --sandbox --help --version | sed path*
awk, gawk, mawk, nawk | + -F=text -v=text --field-separator=text --assign=text --version | awk path*
base64, base32 | -diD -w=num --decode --ignore-garbage --wrap=num --help --version | path
md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum, b2sum | -btz --binary --tag --text --zero --help --version | path*
shasum | -btU01 -a=num --algorithm=num --binary --text --help --version | path*
cksum | -a=text --algorithm=text --untagged --tag --zero --help --version | path*
which | -as --all | word*
whereis | -bms | word*
getconf | | word*
tty | -s --silent --quiet |
logname | |
numfmt | -d=text --to=text --from=text --suffix=text --padding=num --grouping --header?=num --field=text --format=text --round=text --delimiter=text --from-unit=text --to-unit=text --invalid=text | text*
`)

/** Programs that start another one, and accept only these options. */
export const wrapperPrograms: {
  readonly [name: string]: { readonly flags: RegExp; readonly values: RegExp; readonly operand?: RegExp }
} = {
  timeout: {
    flags: /^(?:-v|--preserve-status|--foreground|--verbose|--(?:kill-after|signal)=\w+|-[ks]\w+)$/,
    values: /^(?:-k|-s|--kill-after|--signal)$/,
    operand: /^\d+(?:\.\d+)?[smhd]?$/,
  },
  nice: { flags: /^(?:--adjustment=-?\d+|-n-?\d+|-\d+)$/, values: /^(?:-n|--adjustment)$/ },
}

/**
 * Programs for which only queries about themselves are listed. Launchers that read project files first are not included:
 * `cargo --version` starts the toolchain that `rust-toolchain.toml` names.
 */
export const readOnlySubcommands = readTable(`
npm ls, npm list | -agl -w=text --all --depth=num --json --long --global --prod --production --omit=text --include=text --workspaces --workspace=text --parseable --link | text*
pip list, pip3 list | --format=text --user --local --not-required |
pip freeze, pip3 freeze | --all --local --user |
pip show, pip3 show | -f --files | word*
docker ps | -aqls -n=num -f=text --all --filter=text --format=text --last=num --latest --no-trunc --quiet --size |
docker images | -aq -f=text --all --filter=text --format=text --no-trunc --quiet --digests | word*
docker version, docker info | -f=text --format=text |
`)

/** They answer with code of their own installation, which reads project files. */
export const sandboxedSubcommands = /^(?:npm|pip|pip3)$/

/** A program name and a single word that asks for its version. */
export const versionQueries =
  /^(?:(?:node|python|python3|java|make|gcc|npm|pip|pip3|docker) (?:--version|-v|-V|-version)|(?:bash|cc|clang|cmake|curl|g\+\+|perl|wget) --version)$/
