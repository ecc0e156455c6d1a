#include <algorithm>

#include "command.hpp"
#include "programs/interface.hpp"

namespace ulna::cli {

namespace {

/// "on off" of "on|off"; empty where a value is anything else.
std::string choices_of(std::string_view value) {
  if (value.find('|') == std::string_view::npos || value.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789|") != std::string_view::npos) return {};
  std::string words(value);
  std::replace(words.begin(), words.end(), '|', ' ');
  return words;
}

std::string robots() {
  std::vector<std::string> names;
  for (const BuiltinRobot& robot : builtin_robots()) names.emplace_back(robot.id);
  return joined(names, " ");
}

std::string first_words() {
  std::vector<std::string> words{"help", "completion"};
  for (const CommandGroup& group : command_groups())
    for (const Command& command : group.commands) words.emplace_back(command.name);
  return joined(words, " ");
}

/// Calls `each` for every command, once.
template <class Each>
void for_commands(const Each& each) {
  for (const CommandGroup& group : command_groups())
    for (const Command& command : group.commands) each(command);
}

std::string bash() {
  std::string options, choices;
  for_commands([&](const Command& command) {
    std::vector<std::string> names{"--help"};
    for (const Option& option : command.options) {
      names.emplace_back(option.name);
      if (const auto of = choices_of(option.value); !of.empty())
        choices += cat("    '", command.name, " ", option.name, "') COMPREPLY=($(compgen -W '", of, "' -- \"$word\")); return ;;\n");
    }
    options += cat("    ", command.name, ") options='", joined(names, " "), "' ;;\n");
  });
  return cat(
      "# eval \"$(ulna completion bash)\" in ~/.bashrc\n"
      "_ulna() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} before=${COMP_WORDS[COMP_CWORD-1]} options=--help\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ] || [ \"$before\" = help ]; then\n"
      "    COMPREPLY=($(compgen -W '",
      first_words(),
      "' -- \"$word\"))\n    return\n  fi\n"
      "  case \"$command $before\" in\n"
      "    'completion completion') COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\")); return ;;\n",
      choices, "  esac\n  case $command in\n", options,
      "  esac\n"
      "  case $word in\n"
      "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$word\") $(compgen -W '",
      robots(),
      "' -- \"$word\")) ;;\n"
      "  esac\n}\n"
      "complete -o filenames -F _ulna ulna\n");
}

/// The first sentence, in single quotes; `special` characters get a backslash.
std::string shell_word(std::string_view text, std::string_view special = "\\") {
  std::string out = "'";
  for (const char c : text.substr(0, std::min(text.find(". "), text.find(";")))) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c == '\'' ? std::string("'\\''") : std::string(1, c == '\n' ? ' ' : c);
  }
  return out + "'";
}

std::string zsh() {
  std::string commands, options;
  for_commands([&](const Command& command) {
    commands += cat("    ", shell_word(cat(command.name, ":", command.summary)), "\n");
    options += cat("  ", command.name, ") _arguments '--help[the page of the command]'");
    for (const Option& option : command.options) {
      const std::string of = choices_of(option.value);
      const std::string value = option.value.empty() ? "" : of.empty() ? ":value:_files" : cat("':value:(", of, ")'");
      options += cat(" \\\n      ", option.repeatable ? "'*'" : "", option.name, "'['", shell_word(option.description, "\\:[]"), "']'", value);
    }
    options += cat(" \\\n      '*:model:_ulna_models' ;;\n");
  });
  return cat(
      "#compdef ulna\n# ulna completion zsh > _ulna, in a folder of $fpath\n"
      "_ulna_models() { _files; compadd -- ",
      robots(), "; }\nlocal -a commands\ncommands=(\n", commands,
      "    'help:the page of a command'\n    'completion:completions for a shell'\n)\n"
      "if (( CURRENT == 2 )); then\n  _describe command commands\n  return\nfi\n"
      "shift words; (( CURRENT-- ))\ncase $words[1] in\n  help) _describe command commands ;;\n  completion) compadd bash zsh fish ;;\n",
      options, "esac\n");
}

std::string fish() {
  std::string text =
      "# ulna completion fish > ~/.config/fish/completions/ulna.fish\n"
      "complete -c ulna -n __fish_use_subcommand -f -a help -d 'the page of a command'\n"
      "complete -c ulna -n __fish_use_subcommand -f -a completion -d 'completions for a shell'\n"
      "complete -c ulna -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n";
  for_commands([&](const Command& command) {
    text += cat("complete -c ulna -n __fish_use_subcommand -f -a ", command.name, " -d ", shell_word(command.summary), "\n");
    const std::string seen = cat("complete -c ulna -n '__fish_seen_subcommand_from ", command.name, "' ");
    text += cat(seen, "-a '", robots(), "'\n", seen, "-l help -d 'the page of the command'\n");
    for (const Option& option : command.options) {
      const std::string of = choices_of(option.value);
      text += cat(seen, "-l ", option.name.substr(2), option.value.empty() ? "" : " -r", of.empty() ? "" : cat(" -f -a '", of, "'"), " -d ",
                  shell_word(option.description), "\n");
    }
  });
  return text;
}

int completion_main(const Arguments& arguments) {
  const std::string shell = arguments.only("a shell: bash, zsh or fish");
  if (shell != "bash" && shell != "zsh" && shell != "fish") throw UsageError(there_is_no("completion for shell", shell, {"bash", "zsh", "fish"}));
  std::fputs((shell == "bash" ? bash() : shell == "zsh" ? zsh() : fish()).c_str(), stdout);
  return kDone;
}

}  // namespace

Command completion_command() {
  return {"completion",
          "completions for a shell",
          "bash|zsh|fish",
          "Prints a script that completes commands, options, their values and the names of built-in robots:\n"
          "    bash: eval \"$(ulna completion bash)\" in ~/.bashrc\n"
          "    zsh:  ulna completion zsh > _ulna, in a folder of $fpath\n"
          "    fish: ulna completion fish > ~/.config/fish/completions/ulna.fish",
          {},
          "ulna completion bash > ulna.bash",
          completion_main};
}

}  // namespace ulna::cli
