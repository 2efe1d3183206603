#include "profiler/cli/faulty_machine.h"

#include <filesystem>

#include "engine/scenario/setup.h"
#include "profiler/cli/data_search.h"

namespace k3::cli {

tl::unexpected<Error> no_links(const std::string& where) {
  return fail(Code::unsupported,
              "this host's ranks share memory and have no links; name a machine of `presets`",
              where);
}

OptionSpec fault_option() {
  return {"fault", "FAULT", "e.g. gpu3:plane7=0.5, plane4=0, gpu9=gone, tray2=gone", {}, true};
}

Result<Machine> with_given_faults(Machine machine, const Arguments& arguments) {
  std::vector<Fault> faults;
  for (const std::string& text : arguments.values("fault")) {
    auto fault = parse_fault(text);
    if (!fault) return tl::unexpected(std::move(fault).error().at("--fault"));
    faults.push_back(*std::move(fault));
  }
  auto with = with_faults(std::move(machine), faults);
  if (!with) return tl::unexpected(std::move(with).error().at("--fault"));
  return with;
}

std::string faults_text(const Machine& machine) {
  std::string text;
  for (const Fault& fault : machine.faults)
    text += (text.empty() ? " with " : ", ") + fault.text;
  return text;
}

Result<Machine> faulty_machine(const Arguments& arguments, const Console& console) {
  if (arguments.positional(0) == kLocalMachine) return no_links(std::string(kLocalMachine));
  K3_TRY(const std::filesystem::path path,
         find_input(arguments.required(0), PresetKind::machine, console.folders()));
  K3_TRY(Machine machine, load_machine(path));
  return with_given_faults(std::move(machine), arguments);
}

}  // namespace k3::cli
