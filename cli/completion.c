/* Completion for bash, zsh and fish, from the table of options.
 *
 * Commands of two words ("eval origin") are completed word by word: first the
 * family, then the member. If an option has choices or examples they are
 * offered, otherwise files. */

#include "help.h"

#include <stdio.h>
#include <string.h>

/* "a|b|c" with another separator. */
static void put_choices(const char *choices, char between)
{
    for (; *choices != '\0'; choices++)
        putchar(*choices == '|' ? between : *choices);
}

/* The first word of a command's name; the rest goes to *rest or is "". */
static size_t family_len(const struct command *c, const char **rest)
{
    const size_t len = strcspn(c->name, " ");
    *rest = c->name[len] == ' ' ? c->name + len + 1 : "";
    return len;
}

static bool family_seen_before(size_t at)
{
    const char *rest, *other;
    const size_t len = family_len(cli_commands[at], &rest);
    for (size_t i = 0; i < at; i++)
        if (family_len(cli_commands[i], &other) == len &&
            memcmp(cli_commands[i]->name, cli_commands[at]->name, len) == 0)
            return true;
    return false;
}

static void put_families(char between)
{
    const char *rest;
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        if (family_seen_before(i)) continue;
        const size_t len = family_len(cli_commands[i], &rest);
        printf("%.*s%c", (int)len, cli_commands[i]->name, between);
    }
}

static bool takes_files(const struct command *c)
{
    return strstr(c->operands, "FILE") != NULL ||
           strstr(c->operands, "jsonl") != NULL;
}

/* ---- bash ---- */

static void bash_options(const struct command *c)
{
    for (size_t i = 0; i < c->n_options; i++) {
        const struct option *o = &c->options[i];
        if (o->letter != 0) printf("-%c ", o->letter);
        if (o->name[0] != '\0') printf("--%s ", o->name);
    }
    printf("-h --help");
}

static void bash_command(const struct command *c)
{
    printf("    '%s')\n        case $prev in\n", c->name);
    for (size_t i = 0; i < c->n_options; i++) {
        const struct option *o = &c->options[i];
        if (o->choices == NULL) continue;
        printf("        --%s) words='", o->name);
        put_choices(o->choices, ' ');
        printf("' ;;\n");
    }
    printf("        *) [[ $cur == -* ]] && words='");
    bash_options(c);
    printf("' ;;\n        esac\n");
    if (!takes_files(c) && strchr(c->operands, '|') != NULL) {
        printf("        [[ -z $words ]] && words='");
        put_choices(c->operands, ' ');
        printf("'\n");
    }
    printf("        ;;\n");
}

static void write_bash(void)
{
    const char *rest;
    printf("# bash completion of origo; written by: origo completion bash\n"
           "_origo()\n{\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} words= command\n"
           "    local prev=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    command=${COMP_WORDS[1]}\n"
           "    if ((COMP_CWORD == 1)); then\n        words='");
    put_families(' ');
    printf("--version -h --help'\n        command=\n    fi\n");
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        const size_t len = family_len(cli_commands[i], &rest);
        if (*rest == '\0') continue;
        printf("    if [[ $command == %.*s ]]; then\n"
               "        if ((COMP_CWORD == 2)); then words='%s'; fi\n"
               "        command=\"$command ${COMP_WORDS[2]}\"\n    fi\n",
               (int)len, cli_commands[i]->name, rest);
    }
    printf("    case $command in\n");
    for (size_t i = 0; cli_commands[i] != NULL; i++)
        bash_command(cli_commands[i]);
    printf("    esac\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n"
           "complete -o bashdefault -o default -F _origo origo\n");
}

/* ---- zsh ---- */

/* Text inside a '...[text]' of _arguments. */
static void zsh_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]:\\", *text) != NULL)
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void zsh_option(const struct option *o, const char *dashes,
                       const char *name)
{
    printf("            '%s%s[", dashes, name);
    zsh_text(o->brief);
    putchar(']');
    if (o->value != NULL) {
        printf(":%s:", o->value);
        if (o->choices != NULL) {
            putchar('(');
            put_choices(o->choices, ' ');
            putchar(')');
        } else {
            printf("_files");
        }
    }
    printf("' \\\n");
}

static void zsh_command(const struct command *c)
{
    printf("    ('%s')\n        _arguments -s \\\n", c->name);
    for (size_t i = 0; i < c->n_options; i++) {
        const struct option *o = &c->options[i];
        const char letter[2] = {o->letter, '\0'};
        if (o->letter != 0) zsh_option(o, "-", letter);
        if (o->name[0] != '\0') zsh_option(o, "--", o->name);
    }
    printf("            '-h[short help]' '--help[full help]' \\\n");
    if (takes_files(c)) {
        printf("            '*:file:_files'\n        ;;\n");
        return;
    }
    printf("            '*:what:(");
    put_choices(strchr(c->operands, '|') != NULL ? c->operands : "", ' ');
    printf(")'\n        ;;\n");
}

static void write_zsh(void)
{
    const char *rest;
    printf("#compdef origo\n# written by: origo completion zsh\n_origo()\n{\n"
           "    local command=$words[2]\n"
           "    if ((CURRENT == 2)); then\n        compadd -- ");
    put_families(' ');
    printf("--version -h --help\n        return\n    fi\n");
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        const size_t len = family_len(cli_commands[i], &rest);
        if (*rest == '\0') continue;
        printf("    if [[ $command == %.*s ]]; then\n"
               "        if ((CURRENT == 3)); then compadd -- %s; return; fi\n"
               "        command=\"$command $words[3]\"\n"
               "        shift words; ((CURRENT--))\n    fi\n",
               (int)len, cli_commands[i]->name, rest);
    }
    printf("    shift words; ((CURRENT--))\n    case $command in\n");
    for (size_t i = 0; cli_commands[i] != NULL; i++)
        zsh_command(cli_commands[i]);
    printf("    esac\n}\n"
           "if [[ $funcstack[1] == _origo ]]; then _origo \"$@\"; else "
           "compdef _origo origo; fi\n");
}

/* ---- fish ---- */

static void fish_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\') putchar('\\');
        putchar(*text);
    }
}

static void fish_option(const struct option *o, const char *family)
{
    printf("complete -c origo -n '__fish_seen_subcommand_from %s'", family);
    if (o->letter != 0) printf(" -s %c", o->letter);
    if (o->name[0] != '\0') printf(" -l %s", o->name);
    if (o->choices != NULL) {
        printf(" -x -a '");
        put_choices(o->choices, ' ');
        putchar('\'');
    } else if (o->value != NULL) {
        printf(" -r");
    }
    printf(" -d '");
    fish_text(o->brief);
    printf("'\n");
}

static void fish_command(size_t at)
{
    const struct command *c = cli_commands[at];
    const char *rest;
    char family[32];
    snprintf(family, sizeof(family), "%.*s", (int)family_len(c, &rest),
             c->name);
    if (!family_seen_before(at))
        printf("complete -c origo -n __fish_use_subcommand -f -a %s -d '%s'\n",
               family, c->brief);
    if (*rest != '\0')
        printf("complete -c origo -n '__fish_seen_subcommand_from %s; and not "
               "__fish_seen_subcommand_from %s' -f -a %s\n",
               family, rest, rest);
    if (!takes_files(c) && strchr(c->operands, '|') != NULL) {
        printf("complete -c origo -n '__fish_seen_subcommand_from %s' -f -a '",
               family);
        put_choices(c->operands, ' ');
        printf("'\n");
    }
    for (size_t i = 0; i < c->n_options; i++)
        fish_option(&c->options[i], family);
}

static void write_fish(void)
{
    printf("# fish completion of origo; written by: origo completion fish\n");
    for (size_t i = 0; cli_commands[i] != NULL; i++)
        fish_command(i);
    printf("complete -c origo -s h -d 'short help'\n"
           "complete -c origo -l help -d 'full help'\n"
           "complete -c origo -n __fish_use_subcommand -l version -d "
           "'the version'\n");
}

bool completion_write(const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        write_bash();
    else if (strcmp(shell, "zsh") == 0)
        write_zsh();
    else if (strcmp(shell, "fish") == 0)
        write_fish();
    else
        return false;
    return true;
}
