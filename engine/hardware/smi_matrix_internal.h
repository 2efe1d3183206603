#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/smi_lines_internal.h"

namespace k3 {

/// The words of the matrix of `nvidia-smi topo -m`, before they mean anything.
struct SmiMatrix {
  struct Row {
    int line = 0;
    int column = 0;
    std::vector<std::string> cells;  ///< one per label
    std::string cpu_affinity;
    std::string numa_affinity;
  };

  std::vector<std::string> labels;           ///< of the columns, in order
  std::vector<std::string> glued;            ///< labels that are two words run together
  std::map<std::string, Row> rows;           ///< by label
  std::map<std::string, std::string> names;  ///< "NIC Legend"
};

/// Whether a word can stand in a cell: X, NV18, SYS, NODE, PHB, PXB, PIX …
bool is_smi_cell(std::string_view word);

/// Index of the first line of the header; the number of lines if there is none.
std::size_t find_smi_header(const std::vector<SmiLine>& lines);

Result<SmiMatrix> read_smi_matrix(const std::vector<SmiLine>& lines, const std::string& where);

}  // namespace k3
